/** Distance to a reference policy, measured and penalized. */
import { choice, count, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf, flag } from './fields.ts';

const field = fieldOf('KL');

export const KL_SETTINGS = {
  klReference: field(choice(['start', 'base', 'past']), {
    label: 'KL is measured against',
    help: 'The policy that the KL divergence is measured against: the one at the start of reinforcement, the base model under the LoRA factors, or a copy of the policy that is renewed from time to time.',
    default: 'start',
    choices: {
      start: 'The start of reinforcement',
      base: 'The base model under LoRA',
      past: 'A past step',
    },
  }),
  klReferenceEvery: field(count(1, 100_000), {
    label: 'Reference renewed every',
    help: 'Steps after which the reference is replaced by the current policy.',
    default: 64,
  }),
  klReferenceMixup: field(quantity(0, 1), {
    label: 'Share of the policy in a renewed reference',
    help: 'A renewed reference is this share of the policy and the rest of the reference before it, weight by weight. 1 is a copy of the policy.',
    default: 1,
  }),
  klBeta: field(quantity(0, 10), {
    label: 'KL in the loss β',
    help: 'Weight of the KL divergence as a term of the loss: a penalty for moving away from the reference. 0 only measures it.',
    default: 0,
  }),
  klEstimator: field(
    choice(['k3', 'k2'], {
      k1: 'the gradient of k1 = log p − log p_ref has an expected value of zero, so as a loss it only adds noise',
    }),
    {
      label: 'Estimator in the loss',
      help: 'How the KL divergence is estimated from single tokens when it is part of the loss.',
      default: 'k3',
      choices: { k3: 'k3: exp(r) − r − 1', k2: 'k2: ½ r²' },
    },
  ),
  klBiasCorrection: field(flag(), {
    label: 'Weigh the estimate by the ratio',
    help: 'Multiplies the estimate k3 by the ratio of new to old probability, which makes its gradient that of the KL divergence itself, also for answers of older weights (TRL’s default).',
    default: false,
  }),
  klMeasuredShare: field(quantity(0.01, 1), {
    label: 'Share measured for KL',
    help: 'Share of the answers whose KL divergence is measured, at least 16 in a step; each costs a forward pass of the reference. When KL is part of the loss or the advantages, all answers are measured.',
    default: 0.25,
  }),
  klPenaltyCoef: field(quantity(0, 10), {
    label: 'KL in the advantages',
    help: 'Weight of Tinker’s KL penalty: tokens that moved further from the reference than the average lose advantage, the others gain. 0 is off.',
    default: 0,
  }),
  klDiscountFactor: field(quantity(0, 1), {
    label: 'KL discount',
    help: 'Share of the penalty of later tokens that earlier tokens also get. 0: each token gets only its own.',
    default: 0,
  }),
  targetKl: field(quantity(0, 100), {
    label: 'Stop updates beyond KL',
    help: 'Skips the remaining updates of a batch once the policy has moved this far (in nats per token) from the sampler. 0 is off.',
    default: 0,
  }),
  computePostKl: field(flag(), {
    label: 'Measure KL of the update',
    help: 'Measures how far the updates moved the policy, by one more pass over the batch after them.',
    default: false,
  }),
} as const;
