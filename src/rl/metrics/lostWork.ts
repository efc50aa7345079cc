/** Sampling that came to nothing. */
import { optionalMetric } from './metric.ts';

export const groupsRequeued = optionalMetric({
  key: 'groupsRequeued',
  names: ['async/groups_requeued'],
  label: 'Groups asked again',
  unit: 'groups',
  formula: 'groups of the step that were too old to train on, whose problems were asked again',
  value: (context) => context.groupsRequeued,
});

export const rolloutErrors = optionalMetric({
  key: 'rolloutErrors',
  names: ['rollout_errors/total'],
  label: 'Broken rollouts',
  unit: 'completions',
  formula: 'rollouts that broke, in all steps so far',
  value: (context) => context.rolloutErrors,
});

export const groupsSkipped = optionalMetric({
  key: 'groupsSkipped',
  names: ['rollout_errors/groups_skipped'],
  label: 'Groups left out',
  unit: 'groups',
  formula: 'groups of which every rollout broke, so that a step went on without them, in all steps so far',
  value: (context) => context.groupsSkipped,
});
