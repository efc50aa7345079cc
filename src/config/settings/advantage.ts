/** From rewards to advantages. */
import { choice, field, flag, quantity } from '../fields.ts';

export const ADVANTAGE_SETTINGS = {
  baseline: field(choice(['group', 'leave_one_out', 'moving', 'value', 'none']), {
    label: 'Baseline',
    help: 'What is subtracted from each reward: the mean of its group, the mean of the others in its group, a moving average over steps, what a value head foretells at each token (PPO’s critic), or nothing.',
    group: 'Advantage',
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
    group: 'Advantage',
    default: 0.5,
  }),
  movingBaselineDecay: field(quantity(0, 1), {
    label: 'Moving baseline: decay',
    help: 'Share of the old value that is kept after each step; the rest is the mean reward of the step.',
    group: 'Advantage',
    default: 0.9,
  }),
  gaeGamma: field(quantity(0, 1), {
    label: 'Value head: γ',
    help: 'How much a reward counts a token earlier. 1: as much, however long the answer.',
    group: 'Advantage',
    default: 1,
  }),
  gaeLambda: field(quantity(0, 1), {
    label: 'Value head: λ of GAE',
    help: 'How far an advantage looks at the rewards themselves: 1 as far as the end of the answer, 0 one token, and the value head from there on.',
    group: 'Advantage',
    default: 0.95,
  }),
  valueCoef: field(quantity(0, 100), {
    label: 'Value head: weight of its loss',
    help: 'What the loss of the value head is multiplied by before it is added to the policy’s; its gradient also reaches the model under it.',
    group: 'Advantage',
    default: 0.1,
  }),
  valueRate: field(quantity(0.01, 1000), {
    label: 'Value head: learning rate, times',
    help: 'What the learning rate is multiplied by for the value head, which begins at nothing: in short runs more lets it catch up.',
    group: 'Advantage',
    default: 1,
  }),
  valueClip: field(quantity(0, 1000), {
    label: 'Value head: clip range',
    help: 'How far one batch may move a value. 0 is off.',
    group: 'Advantage',
    default: 0.2,
  }),
  advantageScale: field(choice(['none', 'group', 'batch']), {
    label: 'Divide by the standard deviation',
    help: 'Divides advantages by the standard deviation of rewards: of the group, as the first GRPO paper did, or of the whole batch. With a value head “of the batch” makes the mean of all tokens’ advantages 0 and their deviation 1.',
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
