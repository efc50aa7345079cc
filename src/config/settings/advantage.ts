/** From rewards to advantages. */
import { choice, field, flag, quantity } from '../fields.ts';

export const ADVANTAGE_SETTINGS = {
  baseline: field(choice(['group', 'leave_one_out', 'moving', 'none']), {
    label: 'Baseline',
    help: 'What is subtracted from each reward: the mean of its group, the mean of the others in its group, a moving average over steps, or nothing.',
    group: 'Advantage',
    default: 'group',
    choices: {
      group: 'Mean of the group',
      leave_one_out: 'Mean of the others in the group',
      moving: 'Moving average',
      none: 'None',
    },
  }),
  movingBaselineStart: field(quantity(-1, 1), {
    label: 'Moving baseline: start',
    help: 'Its value in the first step.',
    group: 'Advantage',
    default: 0.5,
  }),
  movingBaselineDecay: field(quantity(0, 1), {
    label: 'Moving baseline: decay',
    help: 'Share of the old value that is kept after each step; the rest is the mean reward of the step.',
    group: 'Advantage',
    default: 0.9,
  }),
  advantageScale: field(choice(['none', 'group', 'batch']), {
    label: 'Divide by the standard deviation',
    help: 'Divides advantages by the standard deviation of rewards: of the group, as the first GRPO paper did, or of the whole batch.',
    group: 'Advantage',
    default: 'none',
    choices: { none: 'No', group: 'Of the group', batch: 'Of the batch' },
  }),
  rewardAggregation: field(choice(['sum_then_normalize', 'normalize_then_sum']), {
    label: 'Parts of the reward',
    help: 'Whether the parts of a reward, such as being right and being in form, are summed before answers are compared; or compared one by one, each brought to the same spread within its group, so that none drowns another.',
    group: 'Advantage',
    default: 'sum_then_normalize',
    choices: {
      sum_then_normalize: 'Summed, then compared',
      normalize_then_sum: 'Compared, then summed (GDPO)',
    },
  }),
  removeConstantGroups: field(flag(), {
    label: 'Drop groups without signal',
    help: 'Groups whose answers all got the same reward are left out of the update; one is kept where all are so.',
    group: 'Advantage',
    default: false,
  }),
} as const;

/** Whether a baseline needs other answers to the same problem; a group of equal rewards then has no advantage at all. */
export function comparesWithinGroups({
  baseline,
}: {
  readonly baseline: (typeof ADVANTAGE_SETTINGS.baseline.schema.options)[number];
}): boolean {
  return baseline === 'group' || baseline === 'leave_one_out';
}
