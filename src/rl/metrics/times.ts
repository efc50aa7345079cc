/** Wall time of a step and of its stages. */
import { metric, optionalMetric } from './metric.ts';

export const seconds = metric({
  key: 'seconds',
  names: ['time/total', 'step_time'],
  label: 'Step',
  unit: 'seconds',
  formula: 'wall time of the step',
  value: ({ times }) => times.total,
});

export const secondsRollout = metric({
  key: 'secondsRollout',
  names: ['time/rollout'],
  label: 'Waiting for completions',
  unit: 'seconds',
  formula: 'wall time in which the trainer waited for completions: all of the sampling when taking turns',
  value: ({ times }) => times.rollout,
});

export const secondsReward = optionalMetric({
  key: 'secondsReward',
  names: ['time/reward'],
  label: 'Scoring',
  unit: 'seconds',
  formula: 'wall time of scoring the completions',
  value: ({ times }) => times.reward,
});

export const secondsTrain = metric({
  key: 'secondsTrain',
  names: ['time/train'],
  label: 'Training',
  unit: 'seconds',
  formula: 'wall time of forward and backward passes and updates',
  value: ({ times }) => times.train,
});

export const secondsSync = metric({
  key: 'secondsSync',
  names: ['time/sync'],
  label: 'Handing weights over',
  unit: 'seconds',
  formula: 'wall time of handing the new weights to the generators',
  value: ({ times }) => times.sync,
});
