/** The optimizer's step size. */
import { metric } from './metric.ts';

export const learningRate = metric({
  key: 'learningRate',
  names: ['optim/lr', 'learning_rate'],
  label: 'Learning rate',
  unit: 'number',
  formula: 'as the schedule sets it for the step',
  value: (context) => context.learningRate,
});
