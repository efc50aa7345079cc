/** `npx rl-playground NAME [arguments…]`: the command line, with one program for each name; without a name it opens the page in a browser. */
import { manyPrograms, type NamedPrograms } from './manyPrograms.ts';

export const PROGRAMS: NamedPrograms = {
  start: { purpose: 'serves the page on this machine', load: () => import('./start.ts') },
  train: { purpose: 'trains a model on the page, headless', load: () => import('./train.ts') },
  sweep: {
    purpose: 'trains with all combinations of settings, over several seeds',
    load: () => import('./sweep.ts'),
  },
  plan: { purpose: 'says what a run will take, and whether it fits', load: () => import('./plan.ts') },
  report: { purpose: 'writes runs as one HTML file', load: () => import('./report.ts') },
  export: {
    purpose: 'writes a trained model as a folder, a PEFT adapter, GGUF or ONNX, or sends it to the Hub',
    load: () => import('./export.ts'),
  },
  handoff: {
    purpose: 'writes a run so that it goes on in TRL, verl or prime-rl',
    load: () => import('./handoff.ts'),
  },
  track: {
    purpose: 'takes a run to TensorBoard, W&B, MLflow or Trackio',
    load: () => import('./track.ts'),
  },
  grade: { purpose: 'scores the answers in a file', load: () => import('./grade.ts') },
  model: {
    purpose: 'shows what a model makes of the rows of a file: tokens, log-probabilities, answers',
    load: () => import('./model.ts'),
  },
  hub: { purpose: 'starts a server where machines meet for a run', load: () => import('./hub.ts') },
  generator: {
    purpose: 'makes this machine a generator of a run',
    load: () => import('./generator.ts'),
  },
};

/** The programs that these start as processes of their own. */
const PARTS: NamedPrograms = {
  sweepRun: { purpose: 'makes one run of a sweep', load: () => import('./sweepRun.ts') },
};

export default manyPrograms('npx rl-playground', PROGRAMS, {
  parts: PARTS,
  withoutName: async () => (await import('./start.ts')).default(['--open']),
});
