/** The fate of each setting in another trainer. A trainer's table has a row for every setting, which also makes its configuration. */
import { type LossName, type Reduction, reductionOf } from '@rl-playground/engine/parts';
import {
  type RunConfig,
  answersInStep,
  partsPerPass,
  problemsInStep,
  updatesPerBatch,
} from '@rl-playground/run/settings';
import type FIXED from './fixed.json';
import ROWS from './rows.json' with { type: 'json' };

/** Values by the names that the trainer has for them; a dot goes into a section. */
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
  /** The reason; `same` and `idle` have none. */
  readonly why: string;
}

export const same = (fields: Fields): Fate => ({ kind: 'same', fields, why: '' });
export const other = (fields: Fields, why: string): Fate => ({ kind: 'other', fields, why });
export const none = (why: string, fields: Fields = {}): Fate => ({ kind: 'none', fields, why });
export const here = (why: string): Fate => ({ kind: 'here', fields: {}, why });
export const idle: Fate = { kind: 'idle', fields: {}, why: '' };

/** A bound that no ratio and no norm of a gradient reaches, for trainers that ask for one. */
export const OPEN = 1e9;

/** The facts of a run that several rows need. */
export interface HandoffRun {
  readonly config: RunConfig;
  readonly step: number;
  readonly stepsLeft: number;
  /** The numbers of answers, problems, mini-batches and updates of a step. */
  readonly answers: number;
  readonly problems: number;
  readonly parts: number;
  readonly updates: number;
  readonly reduction: Reduction;
  /** The bounds of the ratio as distances from 1, at their widest where nothing is clipped. */
  readonly clip: { readonly low: number; readonly high: number };
  readonly promptTokens: number;
  /** The model, or under LoRA its base: a folder of what is handed over, or a name on the Hub. */
  readonly model: string;
  readonly adapter: string | null;
  readonly rows: number;
  readonly heldOut: number;
  /** The packages that `reward.py` needs, as pip takes them. */
  readonly packages: readonly string[];
}

/** A number without the last digits, which adding and subtracting 1 spoils. */
export const rounded = (value: number): number => Number(value.toPrecision(12));

function clipOf({ loss, clipMeaning, clipLow, clipHigh }: RunConfig): HandoffRun['clip'] {
  const clipping: readonly LossName[] = ['grpo', 'ppo', 'bnpo', 'dr_grpo', 'dapo', 'luspo', 'cispo'];
  if (!clipping.includes(loss)) return { low: 1, high: OPEN };
  if (clipMeaning === 'ratio_bounds') return { low: rounded(1 - clipLow), high: rounded(clipHigh - 1) };
  // CISPO's ε is the largest ratio itself.
  return loss === 'cispo' ? { low: 1, high: rounded(clipHigh - 1) } : { low: clipLow, high: clipHigh };
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

type Key = keyof RunConfig;

/** One setting in a trainer's table: its fate, what a run makes of it, or the name of the field that has its value. */
type Row = Fate | string | ((run: HandoffRun, key: Key) => Fate);

/** The rows of a trainer: a setting that is added to the schema does not compile until it has one. */
export type Table = { readonly [Each in Key]: Row };

export const all = <Each extends Key>(keys: readonly Each[], row: Row) =>
  Object.fromEntries(keys.map((key) => [key, row])) as Record<Each, Row>;

export const WARM_START = [
  'warmStartSteps',
  'warmStartLearningRate',
  'warmStartBatch',
  'warmStartData',
] as const;
export const CURRICULUM = [
  'curriculum',
  'curriculumRaise',
  'curriculumLower',
  'curriculumWindow',
  'curriculumEvery',
] as const;
export const REWARD_MODEL = [
  'rewardModel',
  'rewardPipeline',
  'rewardLabel',
  'rewardWeight',
  'graderWeight',
] as const;
const SAPO = ['sapoTemperaturePositive', 'sapoTemperatureNegative'] as const;
export const VESPO = [
  'vespoKPositive',
  'vespoLambdaPositive',
  'vespoKNegative',
  'vespoLambdaNegative',
] as const;
export const MOVING = ['movingBaselineStart', 'movingBaselineDecay'] as const;
export const CRITIC = ['gaeGamma', 'gaeLambda', 'valueCoef', 'valueRate', 'valueClip'] as const;
export const RENEWAL = ['klReferenceEvery', 'klReferenceMixup'] as const;

/** True if a run weighs tokens by the probabilities of sampler and trainer. */
export const importance = ({ importanceCap, importanceFloor }: RunConfig): boolean =>
  importanceCap > 0 || importanceFloor > 0;

/** Settings that are idle, whatever the trainer, unless the run uses what they belong to. */
const USED: readonly (readonly [keys: readonly Key[], used: (config: RunConfig) => boolean])[] = [
  [['loraAlpha', 'loraTargets'], ({ loraRank }) => loraRank > 0],
  [['samplerNoise'], ({ samplerNoise }) => samplerNoise > 0],
  [['minP'], ({ minP }) => minP > 0],
  [['repetitionPenalty'], ({ repetitionPenalty }) => repetitionPenalty !== 1],
  [REWARD_MODEL, ({ rewardModel }) => rewardModel !== ''],
  [WARM_START, ({ warmStartSteps }) => warmStartSteps > 0],
  [CURRICULUM, ({ curriculum }) => curriculum !== 'off'],
  [['curriculumReview'], (config) => config.curriculum !== 'off' && config.curriculumReview > 0],
  [['mixture'], ({ mixture }) => mixture.length > 0],
  [['numMinibatches'], ({ schedule }) => schedule === 'stream'],
  [['maxStepsOffPolicy'], ({ schedule }) => schedule === 'async'],
  [['importanceMode'], importance],
  [['importanceFloor'], ({ importanceFloor }) => importanceFloor > 0],
  [['offPolicyThreshold'], ({ offPolicyThreshold }) => offPolicyThreshold > 0],
  [['topEntropyQuantile'], ({ topEntropyQuantile }) => topEntropyQuantile < 1],
  [['entropyCoef'], ({ entropyCoef }) => entropyCoef > 0],
  [['maskTruncated'], ({ maskTruncated }) => maskTruncated],
  [['droBeta'], ({ loss }) => loss === 'dro'],
  [SAPO, ({ loss }) => loss === 'sapo'],
  [VESPO, ({ loss }) => loss === 'vespo'],
  [MOVING, ({ baseline }) => baseline === 'moving'],
  [CRITIC, ({ baseline }) => baseline === 'value'],
  [['rewardAggregation'], ({ rewardAggregation }) => rewardAggregation !== 'sum_then_normalize'],
  [['klEstimator'], ({ klBeta }) => klBeta > 0],
  [RENEWAL, ({ klBeta, klReference }) => klBeta > 0 && klReference === 'past'],
  [['klReference'], ({ klBeta, klPenaltyCoef }) => klBeta > 0 || klPenaltyCoef > 0],
  [['klPenaltyCoef'], ({ klPenaltyCoef }) => klPenaltyCoef > 0],
  [['klDiscountFactor'], ({ klPenaltyCoef, klDiscountFactor }) => klPenaltyCoef > 0 && klDiscountFactor > 0],
  [['targetKl'], ({ targetKl }) => targetKl > 0],
  [['passAtK'], ({ passAtK }) => passAtK > 1],
  [['levelSamples'], ({ levelSamples }) => levelSamples > 0],
  [['evalMixture'], ({ evalMixture }) => evalMixture.length > 0],
];

/** A fate that is idle unless the run uses the setting. */
export const where = (used: boolean, fate: Fate): Fate => (used ? fate : idle);

type Trainer = keyof typeof FIXED;

/** The settings that have a cell in the column of a trainer. */
type Column<System extends Trainer> = {
  readonly [Each in keyof typeof ROWS as System extends keyof (typeof ROWS)[Each] ? Each : never]: Row;
};

/** The rows that say no more than a field or the reason for none, as rows.json has them by setting and trainer. */
export function columnOf<System extends Trainer>(system: System): Column<System> {
  const cells: Readonly<Record<string, Partial<Record<Trainer, string | { readonly none: string }>>>> = ROWS;
  const rows = Object.entries(cells).flatMap(([key, { [system]: cell }]) => {
    if (cell === undefined) return [];
    return [[key, typeof cell === 'string' ? cell : none(cell.none)] as const];
  });
  return Object.fromEntries(rows) as Column<System>;
}

/** The row of a setting whose 0 means off: the field has its value, or the one that means off there. */
export const orOff =
  (field: string, off: number | null) =>
  ({ config }: HandoffRun, key: Key): Fate =>
    same({ [field]: Number(config[key]) > 0 ? config[key] : off });

export function fateOf(table: Table, key: Key, run: HandoffRun): Fate {
  const used = USED.find(([keys]) => keys.includes(key))?.[1](run.config) ?? true;
  const row = table[key];
  if (!used) return idle;
  if (typeof row === 'string') return same({ [row]: run.config[key] });
  return typeof row === 'function' ? row(run, key) : row;
}

/** The number of problems: its own setting, or as many as this run has generators. */
export const batchOf = ({ config }: HandoffRun, fields: Fields): Fate =>
  config.oneProblemPerGenerator
    ? other(fields, 'the batch is as large as it was with this run’s generators')
    : same(fields);

/** AdamW's decay, which spares norms and biases here. */
export const decay = ({ config }: HandoffRun, field: string): Fate =>
  config.weightDecay > 0
    ? other({ [field]: config.weightDecay }, 'norms and biases decay, too')
    : same({ [field]: config.weightDecay });

/** Gives the clipped loss, which takes the place of REINFORCE. They are the same in the first update of a batch. */
export const clippedLoss = ({ config, updates }: HandoffRun, fields: Fields): Fate =>
  config.loss === 'reinforce' && updates > 1
    ? other(fields, 'the clipped loss without a clip: after the first update of a batch its ratio is not 1')
    : same(fields);

export type Fates = readonly (readonly [key: Key, fate: Fate])[];

export const fatesOf = (table: Table, run: HandoffRun): Fates =>
  (Object.keys(table) as Key[]).map((key) => [key, fateOf(table, key, run)] as const);

/** All fields that the rows give, beside `fixed`. @throws Error where two rows give one field, which is a mistake of the table. */
export function fieldsOf(fates: Fates, fixed: Fields): Fields {
  const fields = new Map(Object.entries(fixed));
  for (const [key, fate] of fates)
    for (const [name, value] of Object.entries(fate.fields)) {
      if (fields.has(name)) throw new Error(`${name} is given twice, the second time by ${key}.`);
      fields.set(name, value);
    }
  return Object.fromEntries(fields);
}

/** The files of one trainer, beside model, data and reward. */
export interface TrainerFiles {
  readonly texts: ReadonlyMap<string, string>;
  readonly fates: Fates;
  readonly notes: readonly string[];
  /** The shell commands that start it. */
  readonly commands: string;
}
