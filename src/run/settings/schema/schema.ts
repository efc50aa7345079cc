/** All settings of a run: each one's schema, bounds, default and words. The form, the link, the command line and the checkpoint's record are read off it. */
import * as z from 'zod';
import { TASK_SETTINGS } from './task.ts';
import { REWARD_SETTINGS } from './reward.ts';
import { MODEL_SETTINGS } from './model.ts';
import { SFT_SETTINGS } from './sft.ts';
import { LOSS_SETTINGS } from './loss.ts';
import { ADVANTAGE_SETTINGS } from './advantage.ts';
import { KL_SETTINGS } from './kl.ts';
import { UPDATES_SETTINGS } from './updates.ts';
import { SAMPLING_SETTINGS } from './sampling.ts';
import { OPTIMIZER_SETTINGS } from './optimizer.ts';
import { RUN_SETTINGS } from './run.ts';

export const RUN_FIELDS = {
  ...TASK_SETTINGS,
  ...REWARD_SETTINGS,
  ...MODEL_SETTINGS,
  ...SFT_SETTINGS,
  ...LOSS_SETTINGS,
  ...ADVANTAGE_SETTINGS,
  ...KL_SETTINGS,
  ...UPDATES_SETTINGS,
  ...SAMPLING_SETTINGS,
  ...OPTIMIZER_SETTINGS,
  ...RUN_SETTINGS,
} as const;

export type FieldKey = keyof typeof RUN_FIELDS;
type Shape = { -readonly [Key in FieldKey]: (typeof RUN_FIELDS)[Key]['schema'] };

export const FIELD_KEYS = Object.keys(RUN_FIELDS) as readonly FieldKey[];

const RUN_SHAPE = Object.fromEntries(FIELD_KEYS.map((key) => [key, RUN_FIELDS[key].schema])) as Shape;
/** Everything that defines a run, except the backend. */
export type RunConfig = { readonly [Key in FieldKey]: z.output<Shape[Key]> };

/** Checks each field alone; `check.ts` has the rules between them. Unknown keys are errors. */
export const runFieldsSchema = z.strictObject(RUN_SHAPE);

export function isFieldKey(key: string): key is FieldKey {
  return Object.hasOwn(RUN_FIELDS, key);
}

export function problemsInStep(config: RunConfig): number {
  return config.oneProblemPerGenerator ? config.numGenerators : config.problemsPerStep;
}

export function answersInStep(config: RunConfig): number {
  return problemsInStep(config) * config.rolloutsPerProblem;
}

/** Mini-batches that one pass over the answers of a step is cut into. */
export function partsPerPass(config: RunConfig): number {
  const { miniBatchSize, numSubsteps, gradientAccumulation } = config;
  return miniBatchSize === 0 ? numSubsteps * gradientAccumulation : answersInStep(config) / miniBatchSize;
}

/** Optimizer updates that a step's answers give, where the rules of `rules/updates.ts` hold. */
export function updatesPerBatch(config: RunConfig): number {
  return Math.max(1, Math.floor(partsPerPass(config) / config.gradientAccumulation)) * config.ppoEpochs;
}
