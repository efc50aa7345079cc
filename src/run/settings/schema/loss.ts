/** The formula that each update minimises. */
import { choice, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf, flag } from './fields.ts';
import {
  IMPORTANCE_MODES,
  LOSSES,
  lossesWhere,
  REDUCTIONS,
  type LossName,
} from '@rl-playground/engine/parts';

const LOSS_NAMES: readonly LossName[] = lossesWhere(() => true);
const LOSS_LABELS = Object.fromEntries(LOSS_NAMES.map((loss) => [loss, LOSSES[loss].label])) as Readonly<
  Record<LossName, string>
>;

const field = fieldOf('Loss');

export const LOSS_SETTINGS = {
  loss: field(choice(LOSS_NAMES), {
    label: 'Loss',
    help: 'The formula that each update minimises. What each of them does differently is said beside the choice, and in docs/losses.md.',
    default: 'grpo',
    choices: LOSS_LABELS,
  }),
  lossReduction: field(choice(['auto', ...REDUCTIONS]), {
    label: 'Loss reduction',
    help: 'How the terms of single tokens become one number: summed, or averaged over answers or over tokens. It decides how much long answers count.',
    default: 'token_mean',
    choices: {
      auto: 'As the loss’s own system does',
      sum: 'Sum over all tokens (Tinker)',
      sequence_sum: 'Sum over an answer, mean over answers',
      sequence_mean: 'Mean over an answer, then over answers',
      token_mean: 'Mean over all tokens of the update',
      batch_token_mean: 'The same, by the mean tokens of the batch’s updates (TRL)',
      minibatch_token_mean: 'Mean over the tokens of each mini-batch',
      max_length: 'Sum over the longest possible length (Dr. GRPO)',
    },
  }),
  clipMeaning: field(choice(['epsilon', 'ratio_bounds']), {
    label: 'Clipping is given as',
    help: 'How the two numbers below are read: as distances ε from a ratio of 1, as TRL does (CISPO: its upper number is the largest ratio itself), or as the smallest and largest ratio, as Tinker does.',
    default: 'epsilon',
    choices: { epsilon: 'ε around 1 (TRL)', ratio_bounds: 'Bounds of the ratio (Tinker)' },
  }),
  clipLow: field(quantity(0, 1000), {
    label: 'Clip low',
    help: 'How far below 1 the ratio of new to old probability may count (ε), or the smallest ratio itself.',
    default: 0.2,
  }),
  clipHigh: field(quantity(0, 1000), {
    label: 'Clip high',
    help: 'How far above 1 the ratio may count (ε), or the largest ratio itself. If it is larger than the lower one, rare tokens can become likely faster (clip-higher, DAPO).',
    default: 0.2,
  }),
  clipDelta: field(quantity(0, 1000), {
    label: 'Two-sided clip δ',
    help: 'Largest ratio that counts even where the advantage is negative, which clipping alone leaves unbounded. 0 is off.',
    default: 0,
  }),
  ratioLevel: field(choice(['token', 'sequence']), {
    label: 'Ratio of',
    help: 'Whether each token has its own ratio of new to old probability, or the whole answer one: the geometric mean of its tokens’ (GSPO).',
    default: 'token',
    choices: { token: 'Each token', sequence: 'The whole answer (GSPO)' },
  }),
  oldLogprobs: field(choice(['sampler', 'trainer']), {
    label: 'Old probabilities from',
    help: 'What new probabilities are compared with: those recorded when the answer was sampled (Tinker), or the trainer’s own before the first update of the batch (TRL), which makes the first ratio exactly 1.',
    default: 'sampler',
    choices: { sampler: 'The sampler', trainer: 'The trainer before the update' },
  }),
  importanceCap: field(quantity(0, 1000), {
    label: 'Truncated importance sampling',
    help: 'Weighs each token, or each answer, by the ratio of the trainer’s old probability to the sampler’s, for generators that compute a little differently. This is the largest weight: larger ones are cut to it, or become 0. 0 is none; without a smallest one either nothing is weighed.',
    default: 0,
  }),
  importanceFloor: field(quantity(0, 1000), {
    label: 'Importance weights from',
    help: 'Smallest weight for the sampler’s error: weights below are raised to it, or become 0. 0 is none.',
    default: 0,
  }),
  importanceMode: field(choice(IMPORTANCE_MODES), {
    label: 'Importance weight of',
    help: 'Whether each token has its own weight for the sampler’s error or the whole answer one, the product over its tokens; and whether a weight out of bounds is cut to the bound, or removes what it weights from the update.',
    default: 'token_truncate',
    choices: {
      token_truncate: 'Each token, cut to its bounds',
      token_mask: 'Each token, 0 out of bounds',
      sequence_truncate: 'The whole answer, cut to its bounds',
      sequence_mask: 'The whole answer, 0 out of bounds',
    },
  }),
  offPolicyThreshold: field(quantity(0, 100), {
    label: 'Off-policy masking threshold',
    help: 'Ignores answers with a negative advantage once the policy has moved this far (in nats per token, on average) from the probabilities they were sampled with. 0 is off.',
    default: 0,
  }),
  topEntropyQuantile: field(quantity(0, 1), {
    label: 'Share of most uncertain tokens',
    help: 'Learns only from this share of the tokens: those where the model was least certain. 1 learns from all; less costs one more forward pass per batch.',
    default: 1,
  }),
  entropyCoef: field(quantity(0, 10), {
    label: 'Entropy bonus',
    help: 'Weight of the mean entropy of the tokens, which is subtracted from the loss: it keeps the model from becoming too certain. 0 is off.',
    default: 0,
  }),
  droBeta: field(quantity(0, 10), {
    label: 'DRO β',
    help: 'Weight of DRO’s quadratic pull towards the sampler’s probabilities.',
    default: 0.05,
  }),
  sapoTemperaturePositive: field(quantity(0.001, 100), {
    label: 'SAPO temperature, positive advantage',
    help: 'How fast a token with a positive advantage counts less as its ratio leaves 1. Higher is faster.',
    default: 1,
  }),
  sapoTemperatureNegative: field(quantity(0.001, 100), {
    label: 'SAPO temperature, other advantage',
    help: 'The same for tokens whose advantage is not positive.',
    default: 1.05,
  }),
  vespoKPositive: field(quantity(0.001, 100), {
    label: 'VESPO k, positive advantage',
    help: 'How fast an answer with a positive advantage counts less as it becomes less likely. Higher is faster.',
    default: 2,
  }),
  vespoLambdaPositive: field(quantity(0.001, 100), {
    label: 'VESPO λ, positive advantage',
    help: 'How fast an answer with a positive advantage counts less as it becomes more likely. Higher is faster.',
    default: 3,
  }),
  vespoKNegative: field(quantity(0.001, 100), {
    label: 'VESPO k, negative advantage',
    help: 'How fast an answer with a negative advantage counts less as it becomes less likely. Higher is faster.',
    default: 3,
  }),
  vespoLambdaNegative: field(quantity(0.001, 100), {
    label: 'VESPO λ, negative advantage',
    help: 'How fast an answer with a negative advantage counts less as it becomes more likely. Higher is faster.',
    default: 2,
  }),
  maskTruncated: field(flag(), {
    label: 'Leave out cut answers',
    help: 'Answers that reached the token limit are sampled and scored, but not learned from.',
    default: false,
  }),
} as const;
