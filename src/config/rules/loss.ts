/** Rules on the loss, its ratio of new to old probability, and the clipping of it. */
import { RUN_FIELDS, type RunConfig } from '../runFields.ts';
import type { Rule } from './rule.ts';

type Loss = RunConfig['loss'];

/** The losses that compare answers of a group (TRL's `loss_type`). */
export const GRPO_FAMILY: ReadonlySet<Loss> = new Set(['grpo', 'bnpo', 'dr_grpo', 'dapo']);

/** TRL's usual cap on the weight of a token under CISPO, where the upper number is the largest ratio itself. */
export const CISPO_CAP = 5;

/** min(ratio · A, clipped ratio · A) per token; a two-sided clip δ and ratios of whole answers go with them. */
const CLIPPED_SURROGATE: ReadonlySet<Loss> = new Set(['ppo', ...GRPO_FAMILY]);
const CLIPPING: ReadonlySet<Loss> = new Set(['cispo', ...CLIPPED_SURROGATE]);

/** These losses are the clipped surrogate with a reduction of their own, so that another one makes them another loss. */
export const OWN_REDUCTION: Readonly<Partial<Record<Loss, RunConfig['lossReduction']>>> = {
  bnpo: 'minibatch_token_mean',
  dr_grpo: 'max_length',
  dapo: 'token_mean',
};

const listed = (losses: ReadonlySet<Loss>): string =>
  RUN_FIELDS.loss.schema.options.filter((loss) => losses.has(loss)).join(', ');

const REFUSES_CLIP_LOW = (value: number): string =>
  `${value} is more than 1, but a ratio of probabilities cannot fall further than 1 below 1; choose 0 to 1, or set clipMeaning to "ratio_bounds".`;

export const LOSS_RULES: readonly Rule[] = [
  {
    field: 'lossReduction',
    broken: ({ loss, lossReduction }) => {
      const own = OWN_REDUCTION[loss];
      return own === undefined || lossReduction === 'auto' || lossReduction === own
        ? null
        : `"${lossReduction}" does not go with loss "${loss}", which is the clipped loss with the reduction "${own}"; choose "auto" or "${own}", or set loss to "grpo".`;
    },
  },
  {
    field: 'clipLow',
    broken: ({ loss, clipMeaning, clipLow }) =>
      clipMeaning === 'epsilon' && CLIPPED_SURROGATE.has(loss) && clipLow > 1
        ? REFUSES_CLIP_LOW(clipLow)
        : null,
  },
  {
    field: 'clipLow',
    broken: ({ loss, clipMeaning, clipLow, clipHigh }) =>
      clipMeaning === 'ratio_bounds' && CLIPPING.has(loss) && clipLow >= clipHigh
        ? `${clipLow} is the smallest ratio and must be below the largest, clipHigh ${clipHigh}; choose less, as in 0.8 and 1.2.`
        : null,
  },
  {
    field: 'clipLow',
    broken: ({ loss, clipMeaning, clipLow, clipHigh }) =>
      clipMeaning === 'ratio_bounds' && CLIPPING.has(loss) && clipLow > 1 && clipLow < clipHigh
        ? `${clipLow} is the smallest ratio, and 1 (an unchanged policy) must lie within the bounds; choose 0 to 1.`
        : null,
  },
  {
    field: 'clipHigh',
    broken: ({ loss, clipMeaning, clipLow, clipHigh }) =>
      clipMeaning === 'ratio_bounds' && CLIPPING.has(loss) && clipHigh < 1 && clipLow < clipHigh
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
      clipDelta > 0 && !CLIPPED_SURROGATE.has(loss)
        ? `${clipDelta} has no meaning under loss "${loss}", which has no clipped ratio with an open side; choose 0, or a loss of: ${listed(CLIPPED_SURROGATE)}.`
        : null,
  },
  {
    field: 'clipDelta',
    broken: ({ loss, clipDelta, clipMeaning, clipHigh }) => {
      const bound = clipMeaning === 'epsilon' ? 1 + clipHigh : clipHigh;
      return clipDelta > 0 && CLIPPED_SURROGATE.has(loss) && clipDelta <= bound
        ? `${clipDelta} does not exceed the largest ratio of the clipping itself, ${bound}; choose more than ${bound}, or 0 for none.`
        : null;
    },
  },
  {
    field: 'ratioLevel',
    broken: ({ loss, ratioLevel }) =>
      ratioLevel === 'sequence' && loss !== 'importance_sampling' && !CLIPPED_SURROGATE.has(loss)
        ? `"sequence" does not go with loss "${loss}", which has no ratio of a whole answer; choose "token", or a loss of: importance_sampling, ${listed(CLIPPED_SURROGATE)}.`
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
