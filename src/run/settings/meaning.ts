/** The settings that decide anything under the others. */
import { LOSSES } from '@rl-playground/engine/parts';
import { shownName } from './names.ts';
import { type FieldKey, type RunConfig, updatesPerBatch } from './schema/schema.ts';

interface Condition {
  (form: RunConfig): boolean;
  /** The other settings under which it holds, for messages. */
  readonly needs?: string;
}

const needs = (words: string, holds: Condition): Condition =>
  Object.assign((form: RunConfig) => holds(form), { needs: words });

const surrogate: Condition = ({ loss }) => LOSSES[loss].clips === 'ratio';
const clipped: Condition = ({ loss }) => LOSSES[loss].clips !== null;
const streamed = needs('schedule "stream"', ({ schedule }) => schedule === 'stream');
const wholeBatch: Condition = (form) => !streamed(form);
const movingBaseline: Condition = ({ baseline }) => baseline === 'moving';
const trainer = needs('oldLogprobs "trainer"', ({ oldLogprobs }) => oldLogprobs === 'trainer');
const corrected = needs(
  'oldLogprobs "trainer" and an importanceCap or importanceFloor above 0',
  (form) => trainer(form) && (form.importanceCap > 0 || form.importanceFloor > 0),
);
/** Each part of the reward is compared within its group and over the batch in one way alone. */
const summedFirst = needs(
  'rewardAggregation "sum_then_normalize"',
  ({ rewardAggregation }) => rewardAggregation === 'sum_then_normalize',
);
const sapo = needs('loss "sapo"', ({ loss }) => loss === 'sapo');
const vespo = needs('loss "vespo"', ({ loss }) => loss === 'vespo');
/** A single candidate is drawn whatever its probability. */
const draws = needs('a topK other than 1', ({ topK }) => topK !== 1);
const valueHead = needs('baseline "value"', ({ baseline }) => baseline === 'value');
const past = needs('klReference "past"', ({ klReference }) => klReference === 'past');
const lora = needs('a loraRank above 0', ({ loraRank }) => loraRank > 0);
const sft: Condition = ({ warmStartSteps }) => warmStartSteps > 0;
const rewarded = needs('a rewardModel', ({ rewardModel }) => rewardModel !== '');
const curriculum: Condition = (form) => form.curriculum !== 'off';

/** Settings that are not here always decide something. */
const CONDITIONS: Readonly<Partial<Record<FieldKey, Condition>>> = {
  rewardPipeline: rewarded,
  rewardLabel: rewarded,
  rewardWeight: rewarded,
  graderWeight: rewarded,
  clipMeaning: clipped,
  // TRL's CISPO has no smallest ratio.
  clipLow: (form) =>
    clipped(form) && !(LOSSES[form.loss].clips === 'weight' && form.clipMeaning === 'epsilon'),
  clipHigh: clipped,
  clipDelta: surrogate,
  // VESPO's own ratio is of the answer in any case.
  ratioLevel: ({ loss }) => LOSSES[loss].answerRatio === true,
  importanceCap: trainer,
  importanceFloor: trainer,
  importanceMode: corrected,
  entropyCoef: wholeBatch,
  sapoTemperaturePositive: sapo,
  sapoTemperatureNegative: sapo,
  vespoKPositive: vespo,
  vespoLambdaPositive: vespo,
  vespoKNegative: vespo,
  vespoLambdaNegative: vespo,
  rewardAggregation: (form) => wholeBatch(form) && form.baseline === 'group',
  advantageScale: summedFirst,
  topP: draws,
  minP: draws,
  droBeta: needs('loss "dro"', ({ loss }) => loss === 'dro'),
  movingBaselineStart: movingBaseline,
  movingBaselineDecay: movingBaseline,
  gaeGamma: valueHead,
  gaeLambda: valueHead,
  valueCoef: valueHead,
  // In the first update of a batch V is the V that the clipping holds it to.
  valueClip: needs(
    'baseline "value" and several updates a batch',
    (form) => valueHead(form) && updatesPerBatch(form) > 1,
  ),
  valueRate: valueHead,
  klReferenceEvery: past,
  klReferenceMixup: past,
  klEstimator: needs('a klBeta above 0', ({ klBeta }) => klBeta > 0),
  klBiasCorrection: needs(
    'a klBeta above 0 and klEstimator "k3"',
    ({ klBeta, klEstimator }) => klBeta > 0 && klEstimator === 'k3',
  ),
  klMeasuredShare: needs(
    'klBeta 0 and klPenaltyCoef 0',
    ({ klBeta, klPenaltyCoef }) => klBeta === 0 && klPenaltyCoef === 0,
  ),
  klPenaltyCoef: wholeBatch,
  // With a value head the penalty is a part of each token's reward, and γ discounts it.
  klDiscountFactor: needs('a klPenaltyCoef above 0', (form) => form.klPenaltyCoef > 0 && !valueHead(form)),
  targetKl: (form) => wholeBatch(form) && updatesPerBatch(form) > 1,
  computePostKl: wholeBatch,
  numMinibatches: streamed,
  maxStepsOffPolicy: needs('schedule "async"', ({ schedule }) => schedule === 'async'),
  numSubsteps: ({ miniBatchSize }) => miniBatchSize === 0,
  ppoEpochs: wholeBatch,
  miniBatchSize: wholeBatch,
  gradientAccumulation: (form) => wholeBatch(form) && (form.numSubsteps > 1 || form.miniBatchSize > 0),
  oneProblemPerGenerator: ({ schedule }) => schedule === 'sync',
  loraAlpha: lora,
  loraTargets: lora,
  baseFormat: lora,
  generatorAdapter: lora,
  // Whole numbers are for a frozen base.
  generatorProducts: needs(
    'a loraRank above 0',
    (form) => form.generatorProducts !== 'int8' || form.loraRank > 0,
  ),
  thinking: needs('a renderer other than "role_colon"', ({ renderer }) => renderer !== 'role_colon'),
  warmStartLearningRate: sft,
  warmStartBatch: sft,
  warmStartData: sft,
  curriculumStart: curriculum,
  curriculumRaise: curriculum,
  curriculumLower: curriculum,
  curriculumReview: curriculum,
  curriculumWindow: curriculum,
  curriculumEvery: curriculum,
};

/** True if the setting decides anything in a run of the form. */
export function hasMeaning(form: RunConfig, key: FieldKey): boolean {
  return CONDITIONS[key]?.(form) ?? true;
}

/** The form shows these all the same: changing one ends the setting that takes its place. */
const replaced: Condition = ({ oneProblemPerGenerator }) => oneProblemPerGenerator;

/** A sentence for each setting that was asked for and decides nothing. `asked`: the name under which each was given. */
export function idleSettings(config: RunConfig, asked: ReadonlyMap<FieldKey, string>): string[] {
  return [...asked]
    .filter(([key]) => !hasMeaning(config, key) || (key === 'problemsPerStep' && replaced(config)))
    .map(([key, name]) => {
      const wake = key === 'problemsPerStep' ? 'oneProblemPerGenerator false' : CONDITIONS[key]?.needs;
      return `${shownName(key, name)} has no effect under the other settings${wake === undefined ? '' : `; it needs ${wake}`}.`;
    });
}
