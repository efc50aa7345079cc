/** How far the run is. */
import { optionalMetric } from './metric.ts';

export const progressBatch = optionalMetric({
  key: 'progressBatch',
  names: ['progress/batch'],
  label: 'Batch',
  unit: 'number',
  formula: 'index of the step’s batch, counted from 0: step − 1',
  value: ({ step }) => step - 1,
});

export const progressDone = optionalMetric({
  key: 'progressDone',
  names: ['progress/done_frac'],
  label: 'Done',
  unit: 'share',
  formula: 'step / steps of the run',
  value: ({ step, totalSteps }) => step / totalSteps,
});
