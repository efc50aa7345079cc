/** Makes one run under Node, by the page's own loop: evaluated, trained, evaluated, and written into a run directory. */
import { listedFiles, type LoadedModel } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import type { RunConfig } from '@rl-playground/run/settings';
import type { EvalResult } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { checkpointFiles } from '@rl-playground/run/checkpoint';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import { evaluationLine } from './evaluationText.ts';
import { formatWatch } from './noFormat.ts';
import type { RunFolder } from './runDirectory.ts';

/** The updates of a warm-up between two lines. */
const SFT_REPORT = 50;

export interface NodeRun {
  readonly metrics: readonly StepMetrics[];
  /** The loss of each update of a warm-up. */
  readonly sftLosses: readonly number[];
  /** All evaluations, the first before training and the last after it. */
  readonly evaluations: readonly EvalResult[];
  readonly wallSeconds: number;
}

export interface NodeRunOptions {
  /** The number of steps between two lines. */
  readonly every: number;
  /** Receives a line about each event. */
  readonly say: (line: string) => void;
  /** The folder into which the run is written as it goes. */
  readonly folder: RunFolder;
}

/** Trains `model` as `config` says. @throws WriteError if its directory can't be written. */
export async function runInNode(
  config: RunConfig,
  model: LoadedModel,
  { every, say, folder }: NodeRunOptions,
): Promise<NodeRun> {
  const began = performance.now();
  const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
  try {
    await warmUp(session, say, folder);
    const evaluate = async (options: { readonly passAtK?: boolean }): Promise<void> => {
      await session.evaluate(options);
      if (session.evaluation) folder.log([], [session.evaluation]);
    };
    await evaluate({});
    const watchFormat = formatWatch(config, (text) => say(`seed ${config.seed} ${text}`));
    watchFormat([], session.evaluations, []);
    while (session.step < config.numSteps) {
      const rollouts = await session.trainStep({});
      watchFormat(session.metrics.slice(-1), [], rollouts);
      await recordStep(session, folder);
      if (session.step % every === 0) say(stepText(session));
      if (config.evalEvery > 0 && session.step % config.evalEvery === 0 && session.step < config.numSteps) {
        await evaluate({ passAtK: false });
        const { evaluation } = session;
        if (evaluation) say(`seed ${config.seed} ${evaluationLine(evaluation)}`);
      }
    }
    await evaluate({});
    const { metrics, evaluations, sftLosses } = session;
    const wallSeconds = (performance.now() - began) / 1000;
    session.wallSeconds = wallSeconds;
    const files = await checkpointFiles(await session.parts());
    const run = { modelName: model.name, metrics, evaluations, wallSeconds, rolloutStepsForgotten: 0 };
    await folder.finish(run, listedFiles(model.name, files));
    return { metrics, sftLosses, evaluations, wallSeconds };
  } finally {
    session.dispose();
  }
}

async function warmUp(session: Session, say: (line: string) => void, folder: RunFolder): Promise<void> {
  while (session.inSft) {
    const tokens = await session.sftStep();
    const made = session.sftLosses.length;
    folder.sft(session.sftLosses.slice(-1), [tokens]);
    if (made % SFT_REPORT === 0 || !session.inSft)
      say(`seed ${session.config.seed} warm-up ${made}  loss ${session.sftLosses.at(-1)?.toFixed(4)}`);
  }
}

async function recordStep(session: Session, folder: RunFolder): Promise<void> {
  const { config, step, log, metrics } = session;
  folder.log(metrics.slice(-1), []);
  folder.rollouts(log.steps.at(-1)?.lines ?? '');
  // A run that is written as it goes needs nothing of this in memory any more.
  log.store(step, { steps: step, file: null });
  if (config.saveSteps > 0 && step % config.saveSteps === 0)
    await folder.checkpoint(step, listedFiles(`step ${step}`, await checkpointFiles(await session.parts())));
}

function stepText({ config, step, metrics }: Session): string {
  const last = metrics.at(-1);
  if (last === undefined) return `seed ${config.seed} step ${step}`;
  const { reward, accuracy, format, kl, entropy, gradNorm, meanLength, policyAgeMean: age, seconds } = last;
  const numbers = { reward, accuracy, format, kl, entropy, gradNorm, meanLength, age, seconds };
  const text = Object.entries(numbers).map(([key, value]) => `${key} ${value?.toFixed(3) ?? 'none'}`);
  return `seed ${config.seed} step ${step}  ${text.join('  ')}`;
}
