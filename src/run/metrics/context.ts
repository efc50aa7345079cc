/** The definition of a metric, and the things that one step leaves behind for all of them. Units: nats, seconds, tokens. */
import type { Clipping, UpdateRecord } from '@rl-playground/engine/parts';
import type { Rollout } from '../rollouts/rollout.ts';

export type Unit =
  | 'reward'
  /** A number from 0 to 1. */
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

export interface Metric<Value extends number | null = number | null> {
  /** Its names in logs: Tinker's first, then TRL's, then our own. Each has the same number. */
  readonly names: readonly [string, ...string[]];
  readonly label: string;
  readonly unit: Unit;
  /** The formula as documentation and tooltips print it. */
  readonly formula: string;
  /** True if it may be null: not measured, a mean over nothing, or not in the logs of earlier versions. */
  readonly optional: boolean;
  readonly value: (context: StepContext) => Value;
}

type Definition<Value extends number | null> = Omit<Metric<Value>, 'unit' | 'optional'>;

/** A metric that every step has. */
export function metric(unit: Unit, definition: Definition<number>): Metric<number> {
  return { ...definition, unit, optional: false };
}

export function optionalMetric(unit: Unit, definition: Definition<number | null>): Metric {
  return { ...definition, unit, optional: true };
}

export interface StepTimes {
  readonly total: number;
  /** Waiting for completions: under the synchronous schedule all of the sampling. */
  readonly rollout: number;
  readonly reward: number;
  readonly train: number;
  readonly sync: number;
  /** Seconds of the trainer's computing, and of the generators' (summed over them), between the step's beginning and its end. */
  readonly trainerBusy: number;
  readonly generatorsBusy: number;
}

export interface StepContext {
  /** 1 for the first. */
  readonly step: number;
  readonly totalSteps: number;
  /** All completions that were scored, by group, those of removed groups too. */
  readonly rollouts: readonly Rollout[];
  /** Rewards of the same by group. */
  readonly rewardsPG: readonly (readonly number[])[];
  readonly updates: readonly UpdateRecord[];
  /** Updates that an early stop by KL left out. */
  readonly updatesSkipped: number;
  /** The explained variance of the returns, by the value head before the step's updates; null without one. */
  readonly explainedVariance: number | null;
  readonly learningRate: number;
  /** The moving baseline, where the algorithm has one. */
  readonly baseline: number | null;
  /** Version of the weights after the step. */
  readonly policyVersion: number;
  /** Tokens of prompts and completions in all steps so far, including this one. */
  readonly totalTokens: number;
  /** Groups that were too old and asked again, under the asynchronous schedule. */
  readonly groupsRequeued: number;
  /** Rollouts that broke, so far in the run. */
  readonly rolloutErrors: number;
  /** Groups none of whose rollouts came back, so far in the run. */
  readonly groupsSkipped: number;
  /** Answers of the step that a task left out because its program failed; null if no task of the run leaves any out. */
  readonly leftOut: number | null;
  readonly generators: number;
  readonly times: StepTimes;
  /** Bytes of GPU (or wasm) memory at the end of the step; null if nobody knows. */
  readonly memoryBytes: number | null;
  readonly handedOverBytes: number;
  /** The clipping of the loss, or null if it clips nothing. */
  readonly clip: Clipping | null;
}
