/**
 * Every metric of a step. To add one: a definition in the list of its subject; charts, logs and the check of docs/metrics.md read the lists.
 */
import type { Metric, StepContext } from './context.ts';
import { KL_METRICS } from './kl.ts';
import { MACHINE_METRICS } from './machine.ts';
import { ENTROPY_METRICS, VERSION_METRICS } from './policy.ts';
import { REWARD_METRICS, rewardParts, type RewardPart, type TaskShare } from './reward.ts';
import { LOST_ROLLOUT_METRICS, ROLLOUT_METRICS } from './rollout.ts';
import { PROGRESS_METRICS, UPDATE_METRICS, VALUE_METRICS } from './update.ts';

/** Metrics that the run's settings and seed decide: they are the same in every repetition of a synchronous run. */
const OF_THE_RUN = {
  ...PROGRESS_METRICS,
  ...REWARD_METRICS,
  ...UPDATE_METRICS,
  ...VALUE_METRICS,
  ...ENTROPY_METRICS,
  ...KL_METRICS,
  ...ROLLOUT_METRICS,
  ...VERSION_METRICS,
  ...LOST_ROLLOUT_METRICS,
};

const ALL = { ...OF_THE_RUN, ...MACHINE_METRICS };
export type MetricKey = keyof typeof ALL;
const keysOf = <Key extends MetricKey>(metrics: Readonly<Record<Key, Metric>>): readonly Key[] =>
  Object.keys(metrics) as Key[];

/** Every metric with its name in `StepMetrics`. */
export const METRICS: readonly (Metric & { readonly key: MetricKey })[] = keysOf(ALL).map((key) => ({
  key,
  ...ALL[key],
}));

/** Metrics that two runs of one seed need not share. */
export const MACHINE_KEYS: readonly MetricKey[] = keysOf(MACHINE_METRICS);

/** Every metric by its key; its definition says formula, unit and when it is null. */
export type MetricValues = { readonly [Key in MetricKey]: ReturnType<(typeof ALL)[Key]['value']> };

/** The record of a step; charts, console and files all read these. */
export interface StepMetrics extends MetricValues {
  /** 1 for the first. */
  readonly step: number;
  /** Reward, accuracy and format by task, where there are several or a curriculum. */
  readonly tasks: readonly TaskShare[];
  readonly rewardParts: readonly RewardPart[];
  /** Answers that were left out because their program failed. Only runs of tasks that leave such answers out have it. */
  readonly leftOut?: number;
}

/** @throws Error for a step without a completion: nothing about it can be said. */
export function stepMetrics(context: StepContext, tasks: readonly TaskShare[]): StepMetrics {
  if (context.rollouts.length === 0)
    throw new Error(`Step ${context.step} has 0 scored completions; its metrics need at least 1.`);
  const { step, leftOut } = context;
  const metrics = metricsOf(step, tasks, rewardParts(context), ({ value }) => value(context));
  return leftOut === null ? metrics : { ...metrics, leftOut };
}

/** A record whose numbers are read one by one. */
export function metricsOf(
  step: number,
  tasks: readonly TaskShare[],
  parts: readonly RewardPart[],
  read: (definition: (typeof METRICS)[number]) => number | null,
): StepMetrics {
  const values = Object.fromEntries(METRICS.map((definition) => [definition.key, read(definition)]));
  return { ...(values as MetricValues), step, tasks, rewardParts: parts };
}

const MACHINE: ReadonlySet<string> = new Set(MACHINE_KEYS);

export function timeless(metrics: readonly StepMetrics[]): Record<string, unknown>[] {
  return metrics.map((step) =>
    Object.fromEntries(Object.entries(step).filter(([name]) => !MACHINE.has(name))),
  );
}
