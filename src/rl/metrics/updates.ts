/** Updates made from a step's batch, and what kept others from being made. */
import { optionalMetric } from './metric.ts';

export const updates = optionalMetric({
  key: 'updates',
  names: ['optim/updates'],
  label: 'Updates',
  unit: 'updates',
  formula: 'optimizer steps made in the step',
  value: (context) => context.updates.length,
});

export const updatesSkipped = optionalMetric({
  key: 'updatesSkipped',
  names: ['optim/updates_skipped'],
  label: 'Updates left out',
  unit: 'updates',
  formula: 'updates that an early stop by target KL left out',
  value: (context) => context.updatesSkipped,
});
