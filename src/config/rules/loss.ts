/** Rules on the loss, its ratio of new to old probability, and the clipping of it. */
import { LOSSES, lossesWhere, type LossName } from '../losses.ts';
import type { Rule } from './rule.ts';

const clipsRatio = (loss: LossName): boolean => LOSSES[loss].clips === 'ratio';
const clips = (loss: LossName): boolean => LOSSES[loss].clips !== null;

const CLIPPING_RATIOS = lossesWhere(({ clips }) => clips === 'ratio').join(', ');
const UNCLIPPED_RATIOS = lossesWhere(({ clips, answerRatio }) => answerRatio && clips === null).join(', ');

const REFUSES_CLIP_LOW = (value: number): string =>
  `${value} is more than 1, but a ratio of probabilities cannot fall further than 1 below 1; choose 0 to 1, or set clipMeaning to "ratio_bounds".`;

export const LOSS_RULES: readonly Rule[] = [
  {
    field: 'lossReduction',
    broken: ({ loss, lossReduction }) => {
      const { reduction: own, reductionFixed } = LOSSES[loss];
      return !reductionFixed || lossReduction === 'auto' || lossReduction === own
        ? null
        : `"${lossReduction}" does not go with loss "${loss}", which is the clipped loss with the reduction "${own}"; choose "auto" or "${own}", or set loss to "grpo".`;
    },
  },
  {
    field: 'clipLow',
    broken: ({ loss, clipMeaning, clipLow }) =>
      clipMeaning === 'epsilon' && clipsRatio(loss) && clipLow > 1 ? REFUSES_CLIP_LOW(clipLow) : null,
  },
  {
    field: 'clipLow',
    broken: ({ loss, clipMeaning, clipLow, clipHigh }) =>
      clipMeaning === 'ratio_bounds' && clips(loss) && clipLow >= clipHigh
        ? `${clipLow} is the smallest ratio and must be below the largest, clipHigh ${clipHigh}; choose less, as in 0.8 and 1.2.`
        : null,
  },
  {
    field: 'clipLow',
    broken: ({ loss, clipMeaning, clipLow, clipHigh }) =>
      clipMeaning === 'ratio_bounds' && clips(loss) && clipLow > 1 && clipLow < clipHigh
        ? `${clipLow} is the smallest ratio, and 1 (an unchanged policy) must lie within the bounds; choose 0 to 1.`
        : null,
  },
  {
    field: 'clipHigh',
    broken: ({ loss, clipMeaning, clipLow, clipHigh }) =>
      clipMeaning === 'ratio_bounds' && clips(loss) && clipHigh < 1 && clipLow < clipHigh
        ? `${clipHigh} is the largest ratio, and 1 (an unchanged policy) must lie within the bounds; choose at least 1.`
        : null,
  },
  {
    field: 'clipHigh',
    broken: ({ loss, clipMeaning, clipHigh }) =>
      loss === 'cispo' && clipMeaning === 'epsilon' && clipHigh === 0
        ? '0 is the largest weight of a token under loss "cispo", so nothing would be learned; choose more than 0, as in 5.'
        : null,
  },
  {
    field: 'clipDelta',
    broken: ({ loss, clipDelta }) =>
      clipDelta > 0 && !clipsRatio(loss)
        ? `${clipDelta} has no meaning under loss "${loss}", which has no clipped ratio with an open side; choose 0, or a loss of: ${CLIPPING_RATIOS}.`
        : null,
  },
  {
    field: 'clipDelta',
    broken: ({ loss, clipDelta, clipMeaning, clipHigh }) => {
      const bound = clipMeaning === 'epsilon' ? 1 + clipHigh : clipHigh;
      return clipDelta > 0 && clipsRatio(loss) && clipDelta <= bound
        ? `${clipDelta} does not exceed the largest ratio of the clipping itself, ${bound}; choose more than ${bound}, or 0 for none.`
        : null;
    },
  },
  {
    field: 'ratioLevel',
    broken: ({ loss, ratioLevel }) =>
      ratioLevel === 'sequence' && !LOSSES[loss].answerRatio
        ? `"sequence" does not go with loss "${loss}", which has no ratio of a whole answer; choose "token", or a loss of: ${UNCLIPPED_RATIOS}, ${CLIPPING_RATIOS}.`
        : null,
  },
  {
    field: 'importanceCap',
    broken: ({ importanceCap, oldLogprobs }) =>
      importanceCap > 0 && oldLogprobs !== 'trainer'
        ? `${importanceCap} corrects from the sampler's probabilities to the trainer's old ones, but oldLogprobs is "${oldLogprobs}"; set oldLogprobs to "trainer", or choose 0.`
        : null,
  },
];
