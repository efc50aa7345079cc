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
  entropy: optionalMetric('nats', {
    names: ['entropy'],
    label: 'Entropy',
    formula: 'token mean of −Σ_v p_v log p_v over the vocabulary, at the sampling temperature',
    value: (context) => tokenMean(context, (trained, t) => at(trained.entropies, t)),
  }),
  samplerEntropy: optionalMetric('nats', {
    names: ['optim/entropy'],
    label: 'Entropy of the sampler (estimate)',
    formula: 'token mean of −log q of the sampled token',
    value: (context) => tokenMean(context, (_trained, _t, sampled) => -sampled),
  }),
} as const;

export const VERSION_METRICS = {
  policyVersion: metric('version', {
    names: ['policy_version'],
    label: 'Policy version',
    formula: 'version of the weights after the step: one more for each step and each update of a warm-up',
    value: (context) => context.policyVersion,
  }),
  trainingVersion: optionalMetric('version', {
    names: ['training_client/step'],
    label: 'Version trained on',
    formula: 'version of the weights when training on the step began',
    value: ({ rollouts: [rollout] }) => (rollout ? rollout.policyVersion + rollout.policyAge : null),
  }),
  samplingVersionMax: optionalMetric('version', {
    names: ['sampling_client/step_max'],
    label: 'Newest sampling version',
    formula: 'greatest version of the weights that sampled a group of the step',
    value: (context) => greatest(versions(context)),
  }),
  samplingVersionMin: optionalMetric('version', {
    names: ['sampling_client/step_min'],
    label: 'Oldest sampling version',
    formula: 'least version of the weights that sampled a group of the step',
    value: (context) => least(versions(context)),
  }),
  samplingVersionMean: optionalMetric('version', {
    names: ['sampling_client/step_mean'],
    label: 'Mean sampling version',
    formula: 'mean over groups of the version of the weights that sampled them',
    value: (context) => meanOrNull(versions(context)),
  }),
  policyAgeMax: optionalMetric('steps', {
    names: ['policy_age/max'],
    label: 'Greatest policy age',
    formula: 'most steps that the weights which sampled a group were behind when training began; 0 on-policy',
    value: (context) => greatest(ages(context)),
  }),
  policyAgeMin: optionalMetric('steps', {
    names: ['policy_age/min'],
    label: 'Least policy age',
    formula: 'fewest steps that the weights which sampled a group were behind',
    value: (context) => least(ages(context)),
  }),
  policyAgeMean: optionalMetric('steps', {
    names: ['policy_age/mean'],
    label: 'Mean policy age',
    formula: 'mean over groups of the steps that the weights which sampled them were behind',
    value: (context) => meanOrNull(ages(context)),
  }),
} as const;
