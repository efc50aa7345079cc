/** How far the trainer's probabilities are from those that the tokens were drawn with. */
import { optionalMetric } from './metric.ts';
import { at, tokenMean } from './statistics.ts';

export const klSampleTrainV1 = optionalMetric({
  key: 'klSampleTrainV1',
  names: ['optim/kl_sample_train_v1'],
  label: 'Sampler–trainer KL, v1',
  unit: 'nats',
  formula: 'token mean of log q − log p, p in the forward pass of the token’s first update; may be negative',
  value: (context) => tokenMean(context, (trained, t, sampled) => sampled - at(trained.logprobs, t)),
});

export const klSampleTrainV2 = optionalMetric({
  key: 'klSampleTrainV2',
  names: ['optim/kl_sample_train_v2'],
  label: 'Sampler–trainer KL, v2',
  unit: 'nats',
  formula: 'token mean of ½ (log q − log p)², p in the forward pass of the token’s first update',
  value: (context) =>
    tokenMean(context, (trained, t, sampled) => 0.5 * (sampled - at(trained.logprobs, t)) ** 2),
});
