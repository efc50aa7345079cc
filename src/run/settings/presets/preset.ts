/** The definition of a preset, and the parts that several of them share. */
import { LAYER_TARGETS } from '@rl-playground/engine/parts';
import type { ADVANTAGE_SETTINGS } from '../schema/advantage.ts';
import type { KL_SETTINGS } from '../schema/kl.ts';
import type { LOSS_SETTINGS } from '../schema/loss.ts';
import type { MODEL_SETTINGS } from '../schema/model.ts';
import type { OPTIMIZER_SETTINGS } from '../schema/optimizer.ts';
import type { RUN_SETTINGS } from '../schema/run.ts';
import type { SAMPLING_SETTINGS } from '../schema/sampling.ts';
import type { UPDATES_SETTINGS } from '../schema/updates.ts';
import type { RunConfig } from '../schema/schema.ts';

/** Every setting that says how a run learns, whatever its task and model. A preset that repeats a system states all. */
export type Coordinates = Pick<
  RunConfig,
  | keyof typeof LOSS_SETTINGS
  | keyof typeof ADVANTAGE_SETTINGS
  | keyof typeof KL_SETTINGS
  | keyof typeof UPDATES_SETTINGS
  | keyof typeof SAMPLING_SETTINGS
  | keyof typeof OPTIMIZER_SETTINGS
  | keyof typeof RUN_SETTINGS
  | Extract<keyof typeof MODEL_SETTINGS, `lora${string}`>
>;

/** The run of the system that a preset repeats. */
export interface Original {
  readonly system: string;
  readonly model: string;
  /** The data set that it was asked. */
  readonly dataset: string;
  /** The tasks here that ask the same. */
  readonly sameTasks: readonly string[];
}

export interface Preset {
  readonly summary: string;
  /** Departures from the system that it reproduces; empty if it reproduces none. */
  readonly differences: readonly string[];
  /** The task that it starts with, where there is one. */
  readonly task?: string;
  /** The system that it repeats, or null. */
  readonly original: Original | null;
  values(task: string): Partial<RunConfig>;
  /** The results of its runs of a task, for the form; undefined if none was made, or if the task's own words hold. */
  expect?(task: string): string | undefined;
}

/** The settings in which all of these systems agree. */
export const COMMON = {
  clipDelta: 0,
  ratioLevel: 'token',
  importanceCap: 0,
  importanceFloor: 0,
  importanceMode: 'token_truncate',
  offPolicyThreshold: 0,
  topEntropyQuantile: 1,
  entropyCoef: 0,
  sapoTemperaturePositive: 1,
  sapoTemperatureNegative: 1.05,
  vespoKPositive: 2,
  vespoLambdaPositive: 3,
  vespoKNegative: 3,
  vespoLambdaNegative: 2,
  droBeta: 0.05,
  maskTruncated: false,
  movingBaselineStart: 0.5,
  movingBaselineDecay: 0.9,
  rewardAggregation: 'sum_then_normalize',
  removeConstantGroups: false,
  gaeGamma: 1,
  gaeLambda: 0.95,
  valueCoef: 0.1,
  valueClip: 0.2,
  valueRate: 1,
  topK: 0,
  minP: 0,
  repetitionPenalty: 1,
  numGenerators: 2,
  generatorPrecision: 'f32',
  samplerNoise: 0,
  levelSamples: 0,
  generatorAdapter: 'beside',
  cachePrecision: 'f32',
  generatorPlacement: 'worker',
  lrSchedule: 'constant',
  adamBeta1: 0.9,
  adamEps: 1e-8,
  // Sampling and training take turns.
  schedule: 'sync',
  numMinibatches: 4,
  maxStepsOffPolicy: 3,
  // Nothing holds the policy to a reference.
  klReference: 'start',
  klReferenceEvery: 64,
  klReferenceMixup: 1,
  klBeta: 0,
  klEstimator: 'k3',
  klBiasCorrection: false,
  klMeasuredShare: 1,
  klPenaltyCoef: 0,
  klDiscountFactor: 0,
  targetKl: 0,
  computePostKl: false,
  // Evaluations ask held-out problems of the tasks that are trained on.
  evalMixture: [] as RunConfig['evalMixture'],
  // Measured here whatever the system measures; it changes no update.
  passAtK: 8,
} as const satisfies Partial<RunConfig>;

/** A step makes one update from all of its answers. */
export const ONE_UPDATE = {
  numSubsteps: 1,
  ppoEpochs: 1,
  miniBatchSize: 0,
  gradientAccumulation: 1,
  microBatchTokens: 2048,
} as const satisfies Partial<RunConfig>;

/** All weights are trained. */
export const NO_LORA = {
  loraRank: 0,
  loraAlpha: 32,
  loraTargets: [...LAYER_TARGETS],
} satisfies Partial<RunConfig>;
