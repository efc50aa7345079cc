/** Which settings decide anything under the others, so that the form shows those alone. */
import { GRPO_FAMILY } from '../../config/rules/loss.ts';
import { updatesPerBatch } from '../../config/rules/updates.ts';
import type { FieldKey, RunConfig } from '../../config/runFields.ts';
import { sameValue } from '../../config/fields.ts';
import { usualValue } from './settings.ts';

type Condition = (form: RunConfig) => boolean;

const surrogate: Condition = ({ loss }) => loss === 'ppo' || GRPO_FAMILY.has(loss);
const clipped: Condition = (form) => form.loss === 'cispo' || surrogate(form);
const streamed: Condition = ({ schedule }) => schedule === 'stream';
const wholeBatch: Condition = (form) => !streamed(form);
const movingBaseline: Condition = ({ baseline }) => baseline === 'moving';
const lora: Condition = ({ loraRank }) => loraRank > 0;
const warmStart: Condition = ({ warmStartSteps }) => warmStartSteps > 0;
const curriculum: Condition = (form) => form.curriculum !== 'off';

/** Settings that are not here always decide something. */
const CONDITIONS: Readonly<Partial<Record<FieldKey, Condition>>> = {
  clipMeaning: clipped,
  // TRL's CISPO has no smallest ratio.
  clipLow: (form) => clipped(form) && !(form.loss === 'cispo' && form.clipMeaning === 'epsilon'),
  clipHigh: clipped,
  clipDelta: surrogate,
  ratioLevel: (form) => form.loss === 'importance_sampling' || surrogate(form),
  importanceCap: ({ oldLogprobs }) => oldLogprobs === 'trainer',
  droBeta: ({ loss }) => loss === 'dro',
  movingBaselineStart: movingBaseline,
  movingBaselineDecay: movingBaseline,
  klReferenceEvery: ({ klReference }) => klReference === 'past',
  klEstimator: ({ klBeta }) => klBeta > 0,
  klPenaltyCoef: wholeBatch,
  klDiscountFactor: ({ klPenaltyCoef }) => klPenaltyCoef > 0,
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
  warmStartLearningRate: warmStart,
  warmStartBatch: warmStart,
  warmStartData: warmStart,
  curriculumStart: curriculum,
  curriculumRaise: curriculum,
  curriculumLower: curriculum,
  curriculumWindow: curriculum,
  curriculumEvery: curriculum,
};

/** Whether the setting decides anything in a run of the form. */
export function hasMeaning(form: RunConfig, key: FieldKey): boolean {
  return CONDITIONS[key]?.(form) ?? true;
}

/** Whether the form shows the setting: it decides something, differs from its default, or has to be put right. */
export function isShown(form: RunConfig, key: FieldKey, errors: ReadonlyMap<FieldKey, string>): boolean {
  return hasMeaning(form, key) || errors.has(key) || !sameValue(form[key], usualValue(form, key));
}
