/** Rules on the loss, the advantages that it weighs, and the distance to a reference policy. */
import { LOSSES, lossesWhere, type LossName } from '@rl-playground/engine/parts';
import { comparesWithinGroups } from '../schema/advantage.ts';
import { updatesPerBatch } from '../schema/schema.ts';
import { rule, type Rule } from './rule.ts';

const clipsRatio = (loss: LossName): boolean => LOSSES[loss].clips === 'ratio';
const clips = (loss: LossName): boolean => LOSSES[loss].clips !== null;

const CLIPPING_RATIOS = lossesWhere(({ clips }) => clips === 'ratio').join(', ');
const ANSWER_RATIOS = lossesWhere(({ answerRatio }) => answerRatio).join(', ');

const REFUSES_CLIP_LOW = (value: number): string =>
  `${value} is more than 1, but a ratio of probabilities cannot fall further than 1 below 1; choose 0 to 1, or set clipMeaning to "ratio_bounds".`;

const uncorrected = (bound: number, oldLogprobs: string): string | null =>
  bound > 0 && oldLogprobs !== 'trainer'
    ? `${bound} corrects from the sampler's probabilities to the trainer's old ones, but oldLogprobs is "${oldLogprobs}"; set oldLogprobs to "trainer", or choose 0.`
    : null;

/** Rules on the ratio of new to old probability, and its clipping. */
export const LOSS_RULES: readonly Rule[] = [
  rule('lossReduction', ({ loss, lossReduction }) => {
    const { reduction: own, reductionFixed } = LOSSES[loss];
    const byUpdate = own === 'batch_token_mean' && lossReduction === 'token_mean';
    return !reductionFixed || lossReduction === 'auto' || lossReduction === own || byUpdate
      ? null
      : `"${lossReduction}" does not go with loss "${loss}", which is the clipped loss with the reduction "${own}"; choose "auto" or "${own}", or set loss to "grpo".`;
  }),
  rule('clipLow', ({ loss, clipMeaning, clipLow }) =>
    clipMeaning === 'epsilon' && clipsRatio(loss) && clipLow > 1 ? REFUSES_CLIP_LOW(clipLow) : null,
  ),
  rule('clipLow', ({ loss, clipMeaning, clipLow, clipHigh }) =>
    clipMeaning === 'ratio_bounds' && clips(loss) && clipLow >= clipHigh
      ? `${clipLow} is the smallest ratio and must be below the largest, clipHigh ${clipHigh}; choose less, as in 0.8 and 1.2.`
      : null,
  ),
  rule('clipLow', ({ loss, clipMeaning, clipLow, clipHigh }) =>
    clipMeaning === 'ratio_bounds' && clips(loss) && clipLow > 1 && clipLow < clipHigh
      ? `${clipLow} is the smallest ratio, and 1 (an unchanged policy) must lie within the bounds; choose 0 to 1.`
      : null,
  ),
  rule('clipHigh', ({ loss, clipMeaning, clipLow, clipHigh }) =>
    clipMeaning === 'ratio_bounds' && clips(loss) && clipHigh < 1 && clipLow < clipHigh
      ? `${clipHigh} is the largest ratio, and 1 (an unchanged policy) must lie within the bounds; choose at least 1.`
      : null,
  ),
  rule('clipHigh', ({ loss, clipMeaning, clipHigh }) =>
    loss === 'cispo' && clipMeaning === 'epsilon' && clipHigh === 0
      ? '0 is the largest weight of a token under loss "cispo", so nothing would be learned; choose more than 0, as in 5.'
      : null,
  ),
  rule('clipDelta', ({ loss, clipDelta }) =>
    clipDelta > 0 && !clipsRatio(loss)
      ? `${clipDelta} has no meaning under loss "${loss}", which has no clipped ratio with an open side; choose 0, or a loss of: ${CLIPPING_RATIOS}.`
      : null,
  ),
  rule('clipDelta', ({ loss, clipDelta, clipMeaning, clipHigh }) => {
    const bound = clipMeaning === 'epsilon' ? 1 + clipHigh : clipHigh;
    return clipDelta > 0 && clipsRatio(loss) && clipDelta <= bound
      ? `${clipDelta} does not exceed the largest ratio of the clipping itself, ${bound}; choose more than ${bound}, or 0 for none.`
      : null;
  }),
  rule('ratioLevel', ({ loss, ratioLevel }) =>
    ratioLevel === 'sequence' && !LOSSES[loss].answerRatio
      ? `"sequence" does not go with loss "${loss}", which has no ratio of a whole answer; choose "token", or a loss of: ${ANSWER_RATIOS}.`
      : null,
  ),
  rule('importanceCap', ({ importanceCap, oldLogprobs }) => uncorrected(importanceCap, oldLogprobs)),
  rule('importanceFloor', ({ importanceFloor, oldLogprobs }) => uncorrected(importanceFloor, oldLogprobs)),
  rule('importanceFloor', ({ importanceFloor, importanceCap }) =>
    importanceFloor > 0 && importanceCap > 0 && importanceFloor >= importanceCap
      ? `${importanceFloor} is not below importanceCap, ${importanceCap}; choose less, or 0 for none.`
      : null,
  ),
  rule('importanceMode', ({ loss, importanceMode, importanceCap, importanceFloor }) =>
    loss === 'vespo' && (importanceCap > 0 || importanceFloor > 0) && importanceMode.startsWith('sequence')
      ? `"${importanceMode}" does not go with loss "vespo", which multiplies the weights of an answer's tokens itself; choose "token_truncate" or "token_mask".`
      : null,
  ),
];

/** Most answers of one step: beyond it a step takes hours in a browser, and its record hundreds of megabytes. */
const MAX_ROLLOUTS_PER_STEP = 16_384;

/** Rules on groups, and on what is made of their rewards. */
export const ADVANTAGE_RULES: readonly Rule[] = [
  rule('baseline', ({ loss, baseline }) =>
    LOSSES[loss].comparesWithinGroups && !comparesWithinGroups({ baseline })
      ? `"${baseline}" does not go with loss "${loss}", which compares answers within a group; choose "group" or "leave_one_out", or set loss to "reinforce".`
      : null,
  ),
  rule('rolloutsPerProblem', ({ baseline, rolloutsPerProblem }) =>
    comparesWithinGroups({ baseline }) && rolloutsPerProblem < 2
      ? `${rolloutsPerProblem} leaves nothing to compare within a group, as baseline "${baseline}" does; choose at least 2, or another baseline with loss "reinforce".`
      : null,
  ),
  rule('removeConstantGroups', ({ removeConstantGroups, baseline, rolloutsPerProblem }) =>
    removeConstantGroups && !comparesWithinGroups({ baseline }) && rolloutsPerProblem < 2
      ? `true leaves out groups whose answers all earned the same, and rolloutsPerProblem is ${rolloutsPerProblem}, so every group is such a one; choose false, or at least 2 answers per problem.`
      : null,
  ),
  rule('removeConstantGroups', ({ removeConstantGroups, baseline }) =>
    removeConstantGroups && baseline === 'value'
      ? 'true leaves answers out that the value head is to learn from, and what it foretells would be off for the rest; choose false, or another baseline.'
      : null,
  ),
  rule('problemsPerStep', ({ oneProblemPerGenerator, problemsPerStep, rolloutsPerProblem }) => {
    const found = problemsPerStep * rolloutsPerProblem;
    return !oneProblemPerGenerator && found > MAX_ROLLOUTS_PER_STEP
      ? `${problemsPerStep} problems of ${rolloutsPerProblem} answers make ${found} answers per step; choose at most ${MAX_ROLLOUTS_PER_STEP} in all.`
      : null;
  }),
  rule('rewardAggregation', ({ rewardAggregation, baseline }) =>
    rewardAggregation === 'normalize_then_sum' && baseline !== 'group'
      ? `"normalize_then_sum" compares each part of the reward with the mean of its group, but baseline is "${baseline}"; choose "sum_then_normalize", or set baseline to "group".`
      : null,
  ),
  rule('advantageScale', ({ advantageScale, baseline }) =>
    advantageScale === 'group' && !comparesWithinGroups({ baseline })
      ? `"group" needs groups to take a standard deviation of, but baseline is "${baseline}"; choose "none" or "batch", or baseline "group".`
      : null,
  ),
];

export const KL_RULES: readonly Rule[] = [
  rule('klReference', ({ klReference, loraRank }) =>
    klReference === 'base' && loraRank === 0
      ? '"base" is the model under its LoRA factors, but loraRank is 0, so there are none; choose "start", or a loraRank of at least 1.'
      : null,
  ),
  rule('klReferenceMixup', ({ klReference, klReferenceMixup, loraRank }) =>
    klReference === 'past' && klReferenceMixup < 1 && loraRank > 0
      ? `${klReferenceMixup} mixes the weights of policy and reference, but loraRank is ${loraRank}, and mixed LoRA factors are no mixed weights; choose 1, or a loraRank of 0.`
      : null,
  ),
  rule('klBiasCorrection', ({ klBiasCorrection, klBeta, klEstimator }) =>
    klBiasCorrection && klBeta > 0 && klEstimator !== 'k3'
      ? `true makes the gradient of k3 the right one and that of k2 a wrong one, and klEstimator is "${klEstimator}"; choose false, or set klEstimator to "k3".`
      : null,
  ),
  rule('klPenaltyCoef', ({ klPenaltyCoef, temperature, topP, topK, minP, repetitionPenalty }) => {
    const plain = temperature === 1 && topP === 1 && topK === 0 && minP === 0 && repetitionPenalty === 1;
    if (klPenaltyCoef === 0 || plain) return null;
    return `${klPenaltyCoef} compares the sampler's probabilities with the reference's at temperature 1, but answers are sampled with temperature ${temperature}, topP ${topP}, topK ${topK}, minP ${minP} and repetitionPenalty ${repetitionPenalty}; set temperature, topP and repetitionPenalty to 1, topK and minP to 0, or choose 0 (klBeta has no such limit).`;
  }),
  rule('targetKl', (config) =>
    config.targetKl > 0 && config.schedule !== 'stream' && updatesPerBatch(config) === 1
      ? `${config.targetKl} leaves out later updates of a batch, but there is only one; choose 0, or more updates by numSubsteps, miniBatchSize or ppoEpochs.`
      : null,
  ),
];
