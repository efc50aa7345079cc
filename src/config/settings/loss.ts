/** What an update makes smaller. */
import { choice, field, flag, quantity } from '../fields.ts';
import { LOSSES, lossesWhere, REDUCTIONS, type LossName } from '../losses.ts';

const LOSS_NAMES: readonly LossName[] = lossesWhere(() => true);
const LOSS_LABELS = Object.fromEntries(LOSS_NAMES.map((loss) => [loss, LOSSES[loss].label])) as Readonly<
  Record<LossName, string>
>;

export const LOSS_SETTINGS = {
  loss: field(choice(LOSS_NAMES), {
    label: 'Loss',
    help: 'What an update makes smaller. GRPO compares several answers to the same problem and limits how far one batch may push; REINFORCE makes answers above the baseline likelier, without a limit.',
    group: 'Loss',
    default: 'grpo',
    choices: LOSS_LABELS,
  }),
  lossReduction: field(choice(['auto', ...REDUCTIONS]), {
    label: 'Loss reduction',
    help: 'How the terms of single tokens become one number: summed, or averaged over answers or over tokens. It decides how much long answers weigh.',
    group: 'Loss',
    default: 'token_mean',
    choices: {
      auto: 'As the loss’s own system does',
      sum: 'Sum over all tokens (Tinker)',
      sequence_sum: 'Sum over an answer, mean over answers',
      sequence_mean: 'Mean over an answer, then over answers',
      token_mean: 'Mean over all tokens of the update',
      minibatch_token_mean: 'Mean over the tokens of each mini-batch',
      max_length: 'Sum over the longest possible length (Dr. GRPO)',
    },
  }),
  clipMeaning: field(choice(['epsilon', 'ratio_bounds']), {
    label: 'Clipping is given as',
    help: 'How the two numbers below are read. As distances ε from a ratio of 1, as TRL does (CISPO: its upper number is the largest ratio itself), or as the smallest and largest ratio, as Tinker does.',
    group: 'Loss',
    default: 'epsilon',
    choices: { epsilon: 'ε around 1 (TRL)', ratio_bounds: 'Bounds of the ratio (Tinker)' },
  }),
  clipLow: field(quantity(0, 1000), {
    label: 'Clip low',
    help: 'How far below 1 the ratio of new to old probability may count (ε), or the smallest ratio itself.',
    group: 'Loss',
    default: 0.2,
  }),
  clipHigh: field(quantity(0, 1000), {
    label: 'Clip high',
    help: 'How far above 1 the ratio may count (ε), or the largest ratio itself. Larger than the lower one it lets rare tokens rise faster (clip-higher, DAPO).',
    group: 'Loss',
    default: 0.2,
  }),
  clipDelta: field(quantity(0, 1000), {
    label: 'Two-sided clip δ',
    help: 'Largest ratio that counts even where the advantage is negative, which clipping alone leaves unbounded. 0 is off.',
    group: 'Loss',
    default: 0,
  }),
  ratioLevel: field(choice(['token', 'sequence']), {
    label: 'Ratio of',
    help: 'Whether each token has its own ratio of new to old probability, or the whole answer one: the geometric mean of its tokens’ (GSPO).',
    group: 'Loss',
    default: 'token',
    choices: { token: 'Each token', sequence: 'The whole answer (GSPO)' },
  }),
  oldLogprobs: field(choice(['sampler', 'trainer']), {
    label: 'Old probabilities from',
    help: 'What new probabilities are compared with: those recorded when the answer was sampled (Tinker), or the trainer’s own before the first update of the batch (TRL), which makes the first ratio exactly 1.',
    group: 'Loss',
    default: 'sampler',
    choices: { sampler: 'The sampler', trainer: 'The trainer before the update' },
  }),
  importanceCap: field(quantity(0, 1000), {
    label: 'Truncated importance sampling',
    help: 'Weighs each token by the ratio of the trainer’s old probability to the sampler’s, cut at this value, for generators that compute a little differently. 0 is off.',
    group: 'Loss',
    default: 0,
  }),
  droBeta: field(quantity(0, 10), {
    label: 'DRO β',
    help: 'Weight of DRO’s quadratic pull towards the sampler’s probabilities.',
    group: 'Loss',
    default: 0.05,
  }),
  maskTruncated: field(flag(), {
    label: 'Leave out cut answers',
    help: 'Answers that ran out of tokens are sampled and scored, but nothing is learned from them.',
    group: 'Loss',
    default: false,
  }),
} as const;
