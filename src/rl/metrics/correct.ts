/** How often answers are right, and in the form that was asked for. */
import { metric } from './metric.ts';
import { completionMean } from './statistics.ts';

export const accuracy = metric({
  key: 'accuracy',
  names: ['env/all/correct'],
  label: 'Accuracy',
  unit: 'share',
  formula: 'share of completions whose extracted answer is right altogether',
  value: (context) => completionMean(context, ({ reward }) => Number(reward.correct)),
});

export const format = metric({
  key: 'format',
  names: ['env/all/format'],
  label: 'Format compliance',
  unit: 'share',
  formula: 'share of completions in the form that was asked for',
  value: (context) => completionMean(context, ({ reward }) => Number(reward.format)),
});
