/** The sampler–trainer KL update by update: what it is before the policy moves, and what the step's own updates add. */
import { optionalMetric } from './metric.ts';
import { greatest } from './statistics.ts';

export const klFirstUpdateV1 = optionalMetric({
  key: 'klFirstUpdateV1',
  names: ['optim/kl_sample_train_v1_first_update'],
  label: 'Sampler–trainer KL in the first update, v1',
  unit: 'nats',
  formula: 'v1 over the tokens of the step’s first update, in its forward pass',
  value: ({ updates }) => updates[0]?.klSampleTrainV1 ?? null,
});

export const klFirstUpdateV2 = optionalMetric({
  key: 'klFirstUpdateV2',
  names: ['optim/kl_sample_train_v2_first_update'],
  label: 'Sampler–trainer KL in the first update, v2',
  unit: 'nats',
  formula: 'v2 over the tokens of the step’s first update, in its forward pass',
  value: ({ updates }) => updates[0]?.klSampleTrainV2 ?? null,
});

export const klLaterUpdatesV1 = optionalMetric({
  key: 'klLaterUpdatesV1',
  names: ['optim/kl_sample_train_v1_later_updates'],
  label: 'Sampler–trainer KL in later updates, v1',
  unit: 'nats',
  formula: 'the largest |v1| of the step’s updates after the first, each in its own forward pass',
  value: ({ updates }) => greatest(updates.slice(1).map((update) => Math.abs(update.klSampleTrainV1))),
});

export const klLaterUpdatesV2 = optionalMetric({
  key: 'klLaterUpdatesV2',
  names: ['optim/kl_sample_train_v2_later_updates'],
  label: 'Sampler–trainer KL in later updates, v2',
  unit: 'nats',
  formula: 'the largest v2 of the step’s updates after the first, each in its own forward pass',
  value: ({ updates }) => greatest(updates.slice(1).map((update) => update.klSampleTrainV2)),
});
