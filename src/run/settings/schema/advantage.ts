/** The way from rewards to advantages. */
import { choice, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf, flag } from './fields.ts';

const field = fieldOf('Advantage');

export const ADVANTAGE_SETTINGS = {
  baseline: field(choice(['group', 'leave_one_out', 'moving', 'value', 'none']), {
    label: 'Baseline',
    help: 'What is subtracted from each reward: the mean of its group, the mean of the others in its group, a moving average over steps, the prediction of a value head at each token (PPO’s critic), or nothing.',
    default: 'group',
    choices: {
      group: 'Mean of the group',
      leave_one_out: 'Mean of the others in the group',
      moving: 'Moving average',
      value: 'Value head (PPO’s critic)',
      none: 'None',
    },
  }),
  movingBaselineStart: field(quantity(-1, 1), {
    label: 'Moving baseline: start',
    help: 'Its value in the first step.',
    default: 0.5,
  }),
  movingBaselineDecay: field(quantity(0, 1), {
    label: 'Moving baseline: decay',
    help: 'Share of the old value that is kept after each step; the rest is the mean reward of the step.',
    default: 0.9,
  }),
  gaeGamma: field(quantity(0, 1), {
    label: 'Value head: γ',
    help: 'Discount of the reward per token before it. 1: no discount, however long the answer.',
    default: 1,
  }),
  gaeLambda: field(quantity(0, 1), {
    label: 'Value head: λ of GAE',
    help: 'How many tokens an advantage follows the actual rewards before it relies on the value head: 1 to the end of the answer, 0 for one token.',
    default: 0.95,
  }),
  valueCoef: field(quantity(0, 100), {
    label: 'Value head: weight of its loss',
    help: 'Factor of the value head’s loss when it is added to the policy’s loss. Its gradient also changes the model below.',
    default: 0.1,
  }),
  valueRate: field(quantity(0.01, 1000), {
    label: 'Value head: learning rate, times',
    help: 'Factor of the learning rate for the value head, which starts from zero. In short runs a larger one lets it catch up.',
    default: 1,
  }),
  valueClip: field(quantity(0, 1000), {
    label: 'Value head: clip range',
    help: 'How far one batch can change a predicted value. 0 is off.',
    default: 0.2,
  }),
  advantageScale: field(choice(['none', 'group', 'batch']), {
    label: 'Divide by the standard deviation',
    help: 'Divides advantages by the standard deviation of rewards: of the group, as the first GRPO paper did, or of the whole batch. With a value head “of the batch” makes the mean of all tokens’ advantages 0 and their deviation 1.',
    default: 'none',
    choices: { none: 'No', group: 'Of the group', batch: 'Of the batch' },
  }),
  rewardAggregation: field(choice(['sum_then_normalize', 'normalize_then_sum']), {
    label: 'Parts of the reward',
    help: 'Whether the parts of a reward, such as accuracy and format, are summed before answers are compared, or compared one by one, each scaled to the same spread within its group, so that no part dominates.',
    default: 'sum_then_normalize',
    choices: {
      sum_then_normalize: 'Summed, then compared',
      normalize_then_sum: 'Compared, then summed (GDPO)',
    },
  }),
  removeConstantGroups: field(flag(), {
    label: 'Drop groups without signal',
    help: 'Leaves groups whose answers all got the same reward out of the update. If all groups are like that, one is kept.',
    default: false,
  }),
} as const;

/** True if a baseline needs other answers to the same problem; a group of equal rewards then has no advantage at all. */
export function comparesWithinGroups({
  baseline,
}: {
  readonly baseline: (typeof ADVANTAGE_SETTINGS.baseline.schema.options)[number];
}): boolean {
  return baseline === 'group' || baseline === 'leave_one_out';
}
