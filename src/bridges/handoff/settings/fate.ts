/** What becomes of one setting in another trainer. A trainer's table has a row for every setting, which also makes its configuration. */
import { type LossName, type Reduction, reductionOf } from '@rl-playground/engine/parts';
import {
  type RunConfig,
  answersInStep,
  partsPerPass,
  problemsInStep,
  updatesPerBatch,
} from '@rl-playground/run/settings';

/** By their names there; a dot goes into a section. */
export type Fields = Readonly<Record<string, unknown>>;

export type FateKind =
  /** It means there what it means here. */
  | 'same'
  /** It is there, and means something else. */
  | 'other'
  /** It has no counterpart there, and what the run does changes by it. */
  | 'none'
  /** It decides nothing under the run's other settings, or is at the value that does nothing. */
  | 'idle'
  /** It says how this program computes, and nothing of what is learned. */
  | 'here';

export interface Fate {
  readonly kind: FateKind;
  readonly fields: Fields;
  /** Empty for `same` and `idle`. */
  readonly why: string;
}

export const same = (fields: Fields): Fate => ({ kind: 'same', fields, why: '' });
export const other = (fields: Fields, why: string): Fate => ({ kind: 'other', fields, why });
export const none = (why: string, fields: Fields = {}): Fate => ({ kind: 'none', fields, why });
export const here = (why: string): Fate => ({ kind: 'here', fields: {}, why });
export const idle: Fate = { kind: 'idle', fields: {}, why: '' };

/** Stands for no bound where a trainer asks for one: no ratio and no norm of a gradient comes near it. */
export const OPEN = 1e9;

/** What several rows ask of a run. */
export interface HandoffRun {
  readonly config: RunConfig;
  /** Made so far. */
  readonly step: number;
  /** Of the run's settings, less those made. */
  readonly stepsLeft: number;
  /** Answers, problems, mini-batches and updates of a step. */
  readonly answers: number;
  readonly problems: number;
  readonly parts: number;
  readonly updates: number;
  readonly reduction: Reduction;
  /** As distances from 1; null where the loss does not clip so. */
  readonly clip: { readonly low: number; readonly high: number } | null;
  /** Tokens that the longest prompt takes. */
  readonly promptTokens: number;
  /** Where the model, and under LoRA its base and the adapter, lie: a folder of what is handed over, or a name on the Hub. */
  readonly model: string;
  readonly adapter: string | null;
  /** Training and held-out rows. */
  readonly rows: number;
  readonly heldOut: number;
  /** What `reward.py` needs to be installed, as pip takes it. */
  readonly packages: readonly string[];
}

/** Null for losses that do not clip a ratio from both sides. */
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

/** Idle unless the run uses it. */
export const where = (used: boolean, fate: Fate): Fate => (used ? fate : idle);

export type Fates = readonly (readonly [key: keyof RunConfig, fate: Fate])[];

/** In the order of the rows. */
export const fatesOf = (rows: Rows, run: HandoffRun): Fates =>
  (Object.keys(rows) as (keyof RunConfig)[]).map((key) => [key, rows[key](run)] as const);

/** All fields that the rows give, beside `fixed`. @throws Error where two rows give one field: a mistake of the table. */
export function fieldsOf(fates: Fates, fixed: Fields): Fields {
  const fields = new Map(Object.entries(fixed));
  for (const [key, fate] of fates)
    for (const [name, value] of Object.entries(fate.fields)) {
      if (fields.has(name)) throw new Error(`${name} is given twice, the second time by ${key}.`);
      fields.set(name, value);
    }
  return Object.fromEntries(fields);
}
