/** Size of the gradient. */
import { optionalMetric } from './metric.ts';
import { greatest } from './statistics.ts';

export const gradNorm = optionalMetric({
  key: 'gradNorm',
  names: ['optim/grad_norm', 'grad_norm'],
  label: 'Gradient norm',
  unit: 'number',
  formula: 'global L2 norm of the gradient of the last update, before clipping',
  value: ({ updates }) => updates.at(-1)?.gradNorm ?? null,
});

export const gradNormMax = optionalMetric({
  key: 'gradNormMax',
  names: ['optim/grad_norm_max'],
  label: 'Largest gradient norm',
  unit: 'number',
  formula: 'the largest of the norms of the step’s updates, before clipping',
  value: ({ updates }) => greatest(updates.map((update) => update.gradNorm)),
});
