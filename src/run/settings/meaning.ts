/** The effect of a setting under the others: some settings decide nothing. */
import { LOSSES } from '@rl-playground/engine/parts';
import { updatesPerBatch } from './stepSizes.ts';
import { shownName } from './names.ts';
import type { FieldKey, RunConfig } from './schema/schema.ts';

type Condition = (form: RunConfig) => boolean;

const surrogate: Condition = ({ loss }) => LOSSES[loss].clips === 'ratio';
const clipped: Condition = ({ loss }) => LOSSES[loss].clips !== null;
const streamed: Condition = ({ schedule }) => schedule === 'stream';
const wholeBatch: Condition = (form) => !streamed(form);
const movingBaseline: Condition = ({ baseline }) => baseline === 'moving';
const corrected: Condition = ({ oldLogprobs, importanceCap, importanceFloor }) =>
  oldLogprobs === 'trainer' && (importanceCap > 0 || importanceFloor > 0);
/** Each part of the reward is compared within its group and over the batch in one way alone. */
const summedFirst: Condition = ({ rewardAggregation }) => rewardAggregation === 'sum_then_normalize';
const sapo: Condition = ({ loss }) => loss === 'sapo';
const vespo: Condition = ({ loss }) => loss === 'vespo';
/** One candidate is drawn whatever its probability. */
const draws: Condition = ({ topK }) => topK !== 1;
const valueHead: Condition = ({ baseline }) => baseline === 'value';
const lora: Condition = ({ loraRank }) => loraRank > 0;
const sft: Condition = ({ warmStartSteps }) => warmStartSteps > 0;
const curriculum: Condition = (form) => form.curriculum !== 'off';

/** Settings that are not here always decide something. */
const CONDITIONS: Readonly<Partial<Record<FieldKey, Condition>>> = {
  clipMeaning: clipped,
  // TRL's CISPO has no smallest ratio.
  clipLow: (form) =>
    clipped(form) && !(LOSSES[form.loss].clips === 'weight' && form.clipMeaning === 'epsilon'),
  clipHigh: clipped,
  clipDelta: surrogate,
  // VESPO's own ratio is of the answer in any case.
  ratioLevel: ({ loss }) => LOSSES[loss].answerRatio === true,
  importanceCap: ({ oldLogprobs }) => oldLogprobs === 'trainer',
  importanceFloor: ({ oldLogprobs }) => oldLogprobs === 'trainer',
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
  droBeta: ({ loss }) => loss === 'dro',
  movingBaselineStart: movingBaseline,
  movingBaselineDecay: movingBaseline,
  gaeGamma: valueHead,
  gaeLambda: valueHead,
  valueCoef: valueHead,
  // In the first update of a batch V is the V that the clipping holds it to.
  valueClip: (form) => valueHead(form) && updatesPerBatch(form) > 1,
  valueRate: valueHead,
  klReferenceEvery: ({ klReference }) => klReference === 'past',
  klReferenceMixup: ({ klReference }) => klReference === 'past',
  klEstimator: ({ klBeta }) => klBeta > 0,
  klBiasCorrection: ({ klBeta, klEstimator }) => klBeta > 0 && klEstimator === 'k3',
  klMeasuredShare: ({ klBeta, klPenaltyCoef }) => klBeta === 0 && klPenaltyCoef === 0,
  klPenaltyCoef: wholeBatch,
  // With a value head the penalty is a part of each token's reward, and γ discounts it.
  klDiscountFactor: (form) => form.klPenaltyCoef > 0 && !valueHead(form),
  targetKl: (form) => wholeBatch(form) && updatesPerBatch(form) > 1,
  computePostKl: wholeBatch,
  numMinibatches: streamed,
  maxStepsOffPolicy: ({ schedule }) => schedule === 'async',
  numSubsteps: ({ miniBatchSize }) => miniBatchSize === 0,
  ppoEpochs: wholeBatch,
  miniBatchSize: wholeBatch,
  gradientAccumulation: (form) => wholeBatch(form) && (form.numSubsteps > 1 || form.miniBatchSize > 0),
  oneProblemPerGenerator: ({ schedule }) => schedule === 'sync',
  loraAlpha: lora,
  loraTargets: lora,
  baseFormat: lora,
  generatorAdapter: lora,
  thinking: ({ renderer }) => renderer !== 'role_colon',
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

/** Says whether the setting decides anything in a run of the form. */
export function hasMeaning(form: RunConfig, key: FieldKey): boolean {
  return CONDITIONS[key]?.(form) ?? true;
}

/** The one condition that gives a setting an effect; settings with several conditions are missing. */
const WAKES: Readonly<Partial<Record<FieldKey, string>>> = {
  problemsPerStep: 'oneProblemPerGenerator false',
  maxStepsOffPolicy: 'schedule "async"',
  numMinibatches: 'schedule "stream"',
  loraAlpha: 'a loraRank above 0',
  loraTargets: 'a loraRank above 0',
  baseFormat: 'a loraRank above 0',
  generatorAdapter: 'a loraRank above 0',
  thinking: 'a renderer other than "role_colon"',
  klEstimator: 'a klBeta above 0',
  klReferenceMixup: 'klReference "past"',
  klBiasCorrection: 'a klBeta above 0 and klEstimator "k3"',
  klDiscountFactor: 'a klPenaltyCoef above 0',
  klMeasuredShare: 'klBeta 0 and klPenaltyCoef 0',
  klReferenceEvery: 'klReference "past"',
  importanceCap: 'oldLogprobs "trainer"',
  importanceFloor: 'oldLogprobs "trainer"',
  importanceMode: 'oldLogprobs "trainer" and an importanceCap or importanceFloor above 0',
  sapoTemperaturePositive: 'loss "sapo"',
  sapoTemperatureNegative: 'loss "sapo"',
  vespoKPositive: 'loss "vespo"',
  vespoLambdaPositive: 'loss "vespo"',
  vespoKNegative: 'loss "vespo"',
  vespoLambdaNegative: 'loss "vespo"',
  advantageScale: 'rewardAggregation "sum_then_normalize"',
  topP: 'a topK other than 1',
  minP: 'a topK other than 1',
  droBeta: 'loss "dro"',
  gaeGamma: 'baseline "value"',
  gaeLambda: 'baseline "value"',
  valueCoef: 'baseline "value"',
  valueClip: 'baseline "value" and several updates a batch',
  valueRate: 'baseline "value"',
};

/** The form shows this setting although another one takes its place: a change of it ends that. */
const replaced: Condition = ({ oneProblemPerGenerator }) => oneProblemPerGenerator;

/** A sentence for each setting that was asked for and decides nothing. `asked`: the name under which each was given. */
export function idleSettings(config: RunConfig, asked: ReadonlyMap<FieldKey, string>): string[] {
  return [...asked]
    .filter(([key]) => !hasMeaning(config, key) || (key === 'problemsPerStep' && replaced(config)))
    .map(([key, name]) => {
      const wake = WAKES[key];
      return `${shownName(key, name)} has no effect under the other settings${wake === undefined ? '' : `; it needs ${wake}`}.`;
    });
}
