/** How far the step's updates moved the policy, where one more pass over the batch measured it. */
import { optionalMetric } from './metric.ts';
import { at, tokenMean } from './statistics.ts';

export const klPrePostV1 = optionalMetric({
  key: 'klPrePostV1',
  names: ['kl_pre_post_v1'],
  label: 'KL of the update, v1',
  unit: 'nats',
  formula: 'token mean of log q − log p′, p′ after the last update of the step',
  value: (context) =>
    tokenMean(context, ({ postLogprobs }, t, sampled) =>
      postLogprobs === null ? null : sampled - at(postLogprobs, t),
    ),
});

export const klPrePostV2 = optionalMetric({
  key: 'klPrePostV2',
  names: ['kl_pre_post_v2'],
  label: 'KL of the update, v2',
  unit: 'nats',
  formula: 'token mean of ½ (log q − log p′)², p′ after the last update of the step',
  value: (context) =>
    tokenMean(context, ({ postLogprobs }, t, sampled) =>
      postLogprobs === null ? null : 0.5 * (sampled - at(postLogprobs, t)) ** 2,
    ),
});
