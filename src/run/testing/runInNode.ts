/** Runs of a bundled model in Node, whole or their first steps, as a page would make them. */
import { startBackend, LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { loadModel, type LoadedModel } from '@rl-playground/engine/parts';
import { bundledInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { Watch } from '../diagnosis/alarms/watch.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import type { Rollout } from '../rollouts/rollout.ts';
import { likeliestAt } from '../session/likeliest.ts';
import { Session } from '../session/session.ts';
import { freshStart } from '../session/sessionStart.ts';
import type { RunConfig } from '../settings/schema/schema.ts';

export interface RunInNode {
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
  /** The answers of the first step. */
  readonly first: readonly Rollout[];
  /** The title of the alarm at the end. */
  readonly alarm: string | null;
  readonly textOf: (tokens: readonly number[]) => string;
  /** The log probability that the model gives a token behind others after the last step. */
  readonly logprob: (before: readonly number[], token: number) => Promise<number>;
}

const models = new Map<string, Promise<LoadedModel>>();

async function modelOf(name: string): Promise<LoadedModel> {
  const model = models.get(name) ?? loadModel(bundledInNode(name));
  models.set(name, model);
  return { ...(await model), name };
}

/** Makes the first steps of a run, or all of them with an evaluation at both ends, and gives it to `read` before it is disposed of. */
export async function runInNode<T>(
  config: RunConfig,
  steps: number | 'all',
  read: (run: RunInNode) => Promise<T>,
): Promise<T> {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  const model = await modelOf(config.model);
  const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
  const watch = new Watch();
  const evaluate = async (): Promise<void> => {
    if (steps !== 'all') return;
    await session.evaluate({ passAtK: false });
    watch.evaluated(session.evaluations, config);
  };
  try {
    await evaluate();
    let first: readonly Rollout[] = [];
    while (session.step < (steps === 'all' ? config.numSteps : steps)) {
      const rollouts = await session.trainStep({});
      if (session.step === 1) first = rollouts;
      watch.follow(session.metrics, config);
    }
    await evaluate();
    const { metrics, evaluations } = session;
    return await read({
      metrics,
      evaluations,
      first,
      alarm: watch.alarm?.diagnosis.title ?? null,
      textOf: (tokens) => model.tokenizer.decodeWhole(tokens),
      logprob: async (before, token) => (await likeliestAt(session, { before, token, version: -1 })).logprob,
    });
  } finally {
    session.dispose();
  }
}
