/** What the updates of a step made smaller. */
import { optionalMetric } from './metric.ts';
import { mean } from './statistics.ts';

export const loss = optionalMetric({
  key: 'loss',
  names: ['optim/loss', 'loss'],
  label: 'Loss',
  unit: 'number',
  formula: 'mean of L over the updates of the step, each before it was made',
  value: ({ updates }) => mean(updates.map((update) => update.loss)),
});
