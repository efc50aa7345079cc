/** Which weights a step sampled from, and which it leaves. */
import type { StepContext } from './context.ts';
import { metric, optionalMetric } from './metric.ts';
import { byGroup, greatest, least, mean } from './statistics.ts';

const firstOf = (context: StepContext, of: 'policyVersion' | 'policyAge'): number[] =>
  byGroup(context).flatMap(([rollout]) => (rollout ? [rollout[of]] : []));
const versions = (context: StepContext): number[] => firstOf(context, 'policyVersion');
const ages = (context: StepContext): number[] => firstOf(context, 'policyAge');

export const policyVersion = metric({
  key: 'policyVersion',
  names: ['policy_version'],
  label: 'Policy version',
  unit: 'version',
  formula: 'version of the weights after the step: one more for each step and each update of a warm start',
  value: (context) => context.policyVersion,
});

export const trainingVersion = optionalMetric({
  key: 'trainingVersion',
  names: ['training_client/step'],
  label: 'Version trained on',
  unit: 'version',
  formula: 'version of the weights when training on the step began',
  value: ({ rollouts: [rollout] }) => (rollout ? rollout.policyVersion + rollout.policyAge : null),
});

export const samplingVersionMax = optionalMetric({
  key: 'samplingVersionMax',
  names: ['sampling_client/step_max'],
  label: 'Newest sampling version',
  unit: 'version',
  formula: 'greatest version of the weights that sampled a group of the step',
  value: (context) => greatest(versions(context)),
});

export const samplingVersionMin = optionalMetric({
  key: 'samplingVersionMin',
  names: ['sampling_client/step_min'],
  label: 'Oldest sampling version',
  unit: 'version',
  formula: 'least version of the weights that sampled a group of the step',
  value: (context) => least(versions(context)),
});

export const samplingVersionMean = optionalMetric({
  key: 'samplingVersionMean',
  names: ['sampling_client/step_mean'],
  label: 'Mean sampling version',
  unit: 'version',
  formula: 'mean over groups of the version of the weights that sampled them',
  value: (context) => mean(versions(context)),
});

export const policyAgeMax = optionalMetric({
  key: 'policyAgeMax',
  names: ['policy_age/max'],
  label: 'Greatest policy age',
  unit: 'steps',
  formula: 'most steps that the weights which sampled a group were behind when training began; 0 on-policy',
  value: (context) => greatest(ages(context)),
});

export const policyAgeMin = optionalMetric({
  key: 'policyAgeMin',
  names: ['policy_age/min'],
  label: 'Least policy age',
  unit: 'steps',
  formula: 'fewest steps that the weights which sampled a group were behind',
  value: (context) => least(ages(context)),
});

export const policyAgeMean = optionalMetric({
  key: 'policyAgeMean',
  names: ['policy_age/mean'],
  label: 'Mean policy age',
  unit: 'steps',
  formula: 'mean over groups of the steps that the weights which sampled them were behind',
  value: (context) => mean(ages(context)),
});
