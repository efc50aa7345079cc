/** The first and the last evaluation of a run that has ended, and one problem of both. */
import type { EvalResult, EvalSample } from '@rl-playground/run/loop';
import { outerEvaluations } from '../../run/state/outerEvaluations.ts';
import { useRun } from '../../run/state/runStore.ts';

export interface EndsOfRun {
  readonly before: EvalResult;
  readonly after: EvalResult;
}

export interface BeforeAndAfter {
  readonly before: EvalSample;
  readonly after: EvalSample;
}

/** Gives the evaluations at both ends; null while the run goes on, and where one of them is missing. */
export function useEnded(): EndsOfRun | null {
  const phase = useRun(({ snapshot }) => snapshot.phase);
  const evaluations = useRun(({ snapshot }) => snapshot.evaluations);
  const [before, after] = outerEvaluations(evaluations);
  return (phase === 'finished' || phase === 'stopped') && before && after ? { before, after } : null;
}

/** A problem that both evaluations asked, if possible one that the model learned. */
export function tellingProblem({ before, after }: EndsOfRun): BeforeAndAfter | null {
  const pairs = before.samples.flatMap((sample, i): BeforeAndAfter[] => {
    const later = after.samples[i];
    return later?.question === sample.question ? [{ before: sample, after: later }] : [];
  });
  return pairs.find((pair) => !pair.before.correct && pair.after.correct) ?? pairs[0] ?? null;
}
