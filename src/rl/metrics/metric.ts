/** How a metric is defined: one definition gives the log's names, the charts' words, the documentation and the number. */
import type { StepContext } from './context.ts';

export type Unit =
  | 'reward'
  /** From 0 to 1. */
  | 'share'
  | 'percent'
  /** A mean over tokens. */
  | 'nats'
  | 'tokens'
  | 'completions'
  | 'groups'
  | 'updates'
  | 'steps'
  /** Number of a set of weights, counted from 0. */
  | 'version'
  | 'seconds'
  | 'bytes'
  /** A pure number: a loss, a norm, a rate. */
  | 'number';

export interface Metric<Key extends string = string, Value extends number | null = number | null> {
  /** In `StepMetrics`. */
  readonly key: Key;
  /** In logs: Tinker's first, then TRL's, then our own. The same number stands under each. */
  readonly names: readonly [string, ...string[]];
  readonly label: string;
  readonly unit: Unit;
  /** As documentation and tooltips print it. */
  readonly formula: string;
  /** Whether it may be null: not measured, a mean over nothing, or not in the logs of earlier versions. */
  readonly optional: boolean;
  readonly value: (context: StepContext) => Value;
}

type Definition<Key extends string, Value extends number | null> = Omit<Metric<Key, Value>, 'optional'>;

/** A metric that every step has. */
export function metric<const Key extends string>(definition: Definition<Key, number>): Metric<Key, number> {
  return { ...definition, optional: false };
}

/** A metric that may be null. */
export function optionalMetric<const Key extends string>(
  definition: Definition<Key, number | null>,
): Metric<Key, number | null> {
  return { ...definition, optional: true };
}
