/** The fate of one setting in another trainer. A trainer's table has a row for every setting, which also makes its configuration. */
import { type LossName, type Reduction, reductionOf } from '@rl-playground/engine/parts';
import {
  type RunConfig,
  answersInStep,
  partsPerPass,
  problemsInStep,
  updatesPerBatch,
} from '@rl-playground/run/settings';

/** The fields of a configuration by their names there; a dot leads into a section. */
export type Fields = Readonly<Record<string, unknown>>;

export type FateKind =
  /** The setting means there what it means here. */
  | 'same'
  /** The setting exists there and means something else. */
  | 'other'
  /** The setting has no counterpart there, and the run changes by that. */
  | 'none'
  /** The setting decides nothing under the run's other settings, or has the value that does nothing. */
  | 'idle'
  /** The setting says how this program computes, and nothing about what is learned. */
  | 'here';

export interface Fate {
  readonly kind: FateKind;
  readonly fields: Fields;
  /** The reason; empty for `same` and `idle`. */
  readonly why: string;
}

export const same = (fields: Fields): Fate => ({ kind: 'same', fields, why: '' });
export const other = (fields: Fields, why: string): Fate => ({ kind: 'other', fields, why });
export const none = (why: string, fields: Fields = {}): Fate => ({ kind: 'none', fields, why });
export const here = (why: string): Fate => ({ kind: 'here', fields: {}, why });
export const idle: Fate = { kind: 'idle', fields: {}, why: '' };

/** The number for "no bound" if a trainer asks for one: no ratio and no norm of a gradient comes near it. */
export const OPEN = 1e9;

/** The facts of a run that several rows use. */
export interface HandoffRun {
  readonly config: RunConfig;
  /** The number of steps so far. */
  readonly step: number;
  /** The number of steps that the run's settings leave. */
  readonly stepsLeft: number;
  /** The numbers of answers, problems, mini-batches and updates in a step. */
  readonly answers: number;
  readonly problems: number;
  readonly parts: number;
  readonly updates: number;
  readonly reduction: Reduction;
  /** The bounds as distances from 1; null if the loss does not clip in this way. */
  readonly clip: { readonly low: number; readonly high: number } | null;
  /** The number of tokens of the longest prompt. */
  readonly promptTokens: number;
  /** The places of the model (under LoRA its base) and of the adapter: a folder of the hand-over, or a name on the Hub. */
  readonly model: string;
  readonly adapter: string | null;
  /** The numbers of training and held-out rows. */
  readonly rows: number;
  readonly heldOut: number;
  /** The packages that `reward.py` needs, in pip's form. */
  readonly packages: readonly string[];
}

/** The bounds of the ratio; null for losses that do not clip a ratio from both sides. */
function clipOf({ loss, clipMeaning, clipLow, clipHigh }: RunConfig): HandoffRun['clip'] {
  const clipping: readonly LossName[] = ['grpo', 'ppo', 'bnpo', 'dr_grpo', 'dapo', 'luspo'];
  if (!clipping.includes(loss)) return null;
  return clipMeaning === 'epsilon'
    ? { low: clipLow, high: clipHigh }
    : { low: Number((1 - clipLow).toPrecision(12)), high: Number((clipHigh - 1).toPrecision(12)) };
}

export type RunFacts = Pick<
  HandoffRun,
  'step' | 'promptTokens' | 'model' | 'adapter' | 'rows' | 'heldOut' | 'packages'
>;

export const handoffRun = (config: RunConfig, facts: RunFacts): HandoffRun => ({
  config,
  ...facts,
  stepsLeft: Math.max(1, config.numSteps - facts.step),
  answers: answersInStep(config),
  problems: problemsInStep(config),
  parts: partsPerPass(config),
  updates: updatesPerBatch(config),
  reduction: reductionOf(config.loss, config.lossReduction, config.clipMeaning),
  clip: clipOf(config),
});

/** The fate of every setting: one that is added to the schema does not compile until it has a row. */
export type Rows = { readonly [Key in keyof RunConfig]: (run: HandoffRun) => Fate };

/** The number of problems: its own setting, or as many as this run has generators. */
export const batchOf = ({ config }: HandoffRun, fields: Fields): Fate =>
  config.oneProblemPerGenerator
    ? other(fields, 'the batch is as large as it was with this run’s generators')
    : same(fields);

/** Returns the fate, or `idle` if the run does not use the setting. */
export const where = (used: boolean, fate: Fate): Fate => (used ? fate : idle);

export type Fates = readonly (readonly [key: keyof RunConfig, fate: Fate])[];

/** The fates in the order of the rows. */
export const fatesOf = (rows: Rows, run: HandoffRun): Fates =>
  (Object.keys(rows) as (keyof RunConfig)[]).map((key) => [key, rows[key](run)] as const);

/** All fields that the rows give, and `fixed`. @throws Error if two rows give the same field, which is a mistake in the table */
export function fieldsOf(fates: Fates, fixed: Fields): Fields {
  const fields = new Map(Object.entries(fixed));
  for (const [key, fate] of fates)
    for (const [name, value] of Object.entries(fate.fields)) {
      if (fields.has(name)) throw new Error(`${name} is given twice, the second time by ${key}.`);
      fields.set(name, value);
    }
  return Object.fromEntries(fields);
}
