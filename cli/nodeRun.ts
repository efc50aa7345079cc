/** One run under Node, by the page's own loop: evaluated, trained, evaluated. */
import { LOCAL_ENVIRONMENT } from '../src/run/localEnvironment.ts';
import { comparesWithinGroups } from '../src/config/settings/advantage.ts';
import type { RunConfig } from '../src/config/schema.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import { findCollapse } from '../src/rl/diagnosis/collapse.ts';
import type { EvalResult } from '../src/rl/loop/evaluate.ts';
import type { StepMetrics } from '../src/rl/metrics/index.ts';
import { freshStart, Session } from '../src/run/session.ts';
import { evaluationLine } from './evaluationText.ts';
import type { Measured } from './learningGoals.ts';

/** Updates of a warm start between two lines. */
const SFT_REPORT = 50;

export interface NodeRun {
  readonly before: EvalResult & Measured;
  readonly after: EvalResult & Measured;
  /** Of each step. */
  readonly metrics: readonly StepMetrics[];
  /** The first thing that went wrong in a step; null where nothing did. */
  readonly collapse: string | null;
  readonly warmStartSeconds: number;
  readonly wallSeconds: number;
}

/** Trains `model` as `config` says and prints a line every `every` steps. */
export async function runInNode(config: RunConfig, model: LoadedModel, every: number): Promise<NodeRun> {
  const began = performance.now();
  const secondsSoFar = (): number => (performance.now() - began) / 1000;
  const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
  await warmUp(session);
  const warmStartSeconds = secondsSoFar();
  await session.evaluate({});
  let collapse: string | null = null;
  while (session.step < config.numSteps) {
    await session.trainStep({});
    collapse ??= findCollapse(session.metrics, comparesWithinGroups(config))?.title ?? null;
    if (session.step % every === 0) printStep(session);
    if (config.evalEvery > 0 && session.step % config.evalEvery === 0 && session.step < config.numSteps) {
      await session.evaluate({ passAtK: false });
      const { evaluation } = session;
      if (evaluation) console.log(`seed ${config.seed} ${evaluationLine(evaluation)}`);
    }
  }
  await session.evaluate({});
  const [before, after] = [session.evaluations[0], session.evaluations.at(-1)];
  const { metrics } = session;
  session.dispose();
  if (!before?.greedy || !after?.greedy) throw new Error('The run was not evaluated.');
  return {
    before: { ...before, greedy: before.greedy },
    after: { ...after, greedy: after.greedy },
    metrics,
    collapse,
    warmStartSeconds,
    wallSeconds: secondsSoFar(),
  };
}

async function warmUp(session: Session): Promise<void> {
  while (session.inSft) {
    await session.sftStep();
    const made = session.sftLosses.length;
    if (made % SFT_REPORT === 0 || !session.inSft)
      console.log(
        `seed ${session.config.seed} warm start ${made}  loss ${session.sftLosses.at(-1)?.toFixed(4)}`,
      );
  }
}

function printStep({ config, step, metrics }: Session): void {
  const last = metrics.at(-1);
  if (last === undefined) return;
  const { reward, accuracy, format, kl, entropy, gradNorm, meanLength, policyAgeMean: age, seconds } = last;
  const numbers = { reward, accuracy, format, kl, entropy, gradNorm, meanLength, age, seconds };
  const text = Object.entries(numbers).map(([key, value]) => `${key} ${value?.toFixed(3) ?? 'none'}`);
  console.log(`seed ${config.seed} step ${step}  ${text.join('  ')}`);
}
