/** KL(policy ‖ reference policy) by Schulman's estimators (joschu.net/blog/kl-approx.html) and by Tinker's. */
import type { TrainedValues } from './context.ts';
import { optionalMetric } from './metric.ts';
import { at, tokenMean } from './statistics.ts';

/** log π_ref − log p of one token. */
function logRatio({ referenceLogprobs, logprobs }: TrainedValues, t: number): number {
  return at(referenceLogprobs, t) - at(logprobs, t);
}

export const klK1 = optionalMetric({
  key: 'klK1',
  names: ['optim/kl_k1'],
  label: 'KL to the reference, k1',
  unit: 'nats',
  formula: 'token mean of −r, r = log π_ref − log p; may be negative',
  value: (context) => tokenMean(context, (trained, t) => -logRatio(trained, t)),
});

export const klK2 = optionalMetric({
  key: 'klK2',
  names: ['optim/kl_k2'],
  label: 'KL to the reference, k2',
  unit: 'nats',
  formula: 'token mean of ½ r², r = log π_ref − log p',
  value: (context) => tokenMean(context, (trained, t) => 0.5 * logRatio(trained, t) ** 2),
});

export const kl = optionalMetric({
  key: 'kl',
  names: ['optim/kl_policy_start', 'kl'],
  label: 'KL to the reference, k3',
  unit: 'nats',
  formula: 'token mean of exp(r) − r − 1, r = log π_ref − log p',
  value: (context) =>
    tokenMean(context, (trained, t) => {
      const r = logRatio(trained, t);
      return Math.expm1(r) - r;
    }),
});

export const klPolicyBase = optionalMetric({
  key: 'klPolicyBase',
  names: ['kl_policy_base'],
  label: 'KL of the sampler to the reference',
  unit: 'nats',
  formula: 'token mean of log q − log π_ref; may be negative',
  value: (context) => tokenMean(context, (trained, t, sampled) => sampled - at(trained.referenceLogprobs, t)),
});
