/** The policy: how open its next token is, which weights a step sampled from, and which it leaves. */
import { greatest, least, meanOrNull } from '@rl-playground/base/statistics';
import { metric, optionalMetric, type StepContext } from './context.ts';
import { at, byGroup, tokenMean } from './statistics.ts';

const firstOf = (context: StepContext, of: 'policyVersion' | 'policyAge'): number[] =>
  byGroup(context).flatMap(([rollout]) => (rollout ? [rollout[of]] : []));
const versions = (context: StepContext): number[] => firstOf(context, 'policyVersion');
const ages = (context: StepContext): number[] => firstOf(context, 'policyAge');

/** Exactly, and as Tinker estimates it from the sampled tokens. */
export const ENTROPY_METRICS = {
  entropy: optionalMetric({
    names: ['entropy'],
    label: 'Entropy',
    unit: 'nats',
    formula: 'token mean of −Σ_v p_v log p_v over the vocabulary, at the sampling temperature',
    value: (context) => tokenMean(context, (trained, t) => at(trained.entropies, t)),
  }),
  samplerEntropy: optionalMetric({
    names: ['optim/entropy'],
    label: 'Entropy of the sampler (estimate)',
    unit: 'nats',
    formula: 'token mean of −log q of the sampled token',
    value: (context) => tokenMean(context, (_trained, _t, sampled) => -sampled),
  }),
} as const;

export const VERSION_METRICS = {
  policyVersion: metric({
    names: ['policy_version'],
    label: 'Policy version',
    unit: 'version',
    formula: 'version of the weights after the step: one more for each step and each update of a warm start',
    value: (context) => context.policyVersion,
  }),
  trainingVersion: optionalMetric({
    names: ['training_client/step'],
    label: 'Version trained on',
    unit: 'version',
    formula: 'version of the weights when training on the step began',
    value: ({ rollouts: [rollout] }) => (rollout ? rollout.policyVersion + rollout.policyAge : null),
  }),
  samplingVersionMax: optionalMetric({
    names: ['sampling_client/step_max'],
    label: 'Newest sampling version',
    unit: 'version',
    formula: 'greatest version of the weights that sampled a group of the step',
    value: (context) => greatest(versions(context)),
  }),
  samplingVersionMin: optionalMetric({
    names: ['sampling_client/step_min'],
    label: 'Oldest sampling version',
    unit: 'version',
    formula: 'least version of the weights that sampled a group of the step',
    value: (context) => least(versions(context)),
  }),
  samplingVersionMean: optionalMetric({
    names: ['sampling_client/step_mean'],
    label: 'Mean sampling version',
    unit: 'version',
    formula: 'mean over groups of the version of the weights that sampled them',
    value: (context) => meanOrNull(versions(context)),
  }),
  policyAgeMax: optionalMetric({
    names: ['policy_age/max'],
    label: 'Greatest policy age',
    unit: 'steps',
    formula: 'most steps that the weights which sampled a group were behind when training began; 0 on-policy',
    value: (context) => greatest(ages(context)),
  }),
  policyAgeMin: optionalMetric({
    names: ['policy_age/min'],
    label: 'Least policy age',
    unit: 'steps',
    formula: 'fewest steps that the weights which sampled a group were behind',
    value: (context) => least(ages(context)),
  }),
  policyAgeMean: optionalMetric({
    names: ['policy_age/mean'],
    label: 'Mean policy age',
    unit: 'steps',
    formula: 'mean over groups of the steps that the weights which sampled them were behind',
    value: (context) => meanOrNull(ages(context)),
  }),
} as const;
