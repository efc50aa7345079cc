/** The moving baseline of REINFORCE. */
import { optionalMetric } from './metric.ts';

export const baseline = optionalMetric({
  key: 'baseline',
  names: ['baseline'],
  label: 'Moving baseline',
  unit: 'reward',
  formula: 'b, subtracted from R in the step; then b ← decay · b + (1 − decay) · mean of R',
  value: (context) => context.baseline,
});
