/** How far the old policy of the ratio is from the sampler, as TRL logs it of generators that are not the trainer. */
import { optionalMetric } from './metric.ts';
import { at, tokenExtremes, tokenMean, type TokenValue } from './statistics.ts';

const distance: TokenValue = ({ oldLogprobs }, t, sampled) => Math.abs(at(oldLogprobs, t) - sampled);
const ratio: TokenValue = ({ oldLogprobs }, t, sampled) => Math.exp(at(oldLogprobs, t) - sampled);

export const samplerGapMean = optionalMetric({
  key: 'samplerGapMean',
  names: ['sampling/sampling_logp_difference/mean'],
  label: 'Old policy to sampler',
  unit: 'nats',
  formula: 'token mean of |log p_old − log q|; 0 where p_old is taken from the sampler',
  value: (context) => tokenMean(context, distance),
});

export const samplerGapMax = optionalMetric({
  key: 'samplerGapMax',
  names: ['sampling/sampling_logp_difference/max'],
  label: 'Old policy to sampler, greatest',
  unit: 'nats',
  formula: 'the greatest |log p_old − log q| of the same tokens',
  value: (context) => tokenExtremes(context, distance)?.greatest ?? null,
});

export const importanceMin = optionalMetric({
  key: 'importanceMin',
  names: ['sampling/importance_sampling_ratio/min'],
  label: 'Importance ratio, least',
  unit: 'number',
  formula:
    'the least p_old / q of the same tokens, before truncated importance sampling caps it (TRL: after)',
  value: (context) => tokenExtremes(context, ratio)?.least ?? null,
});

export const importanceMean = optionalMetric({
  key: 'importanceMean',
  names: ['sampling/importance_sampling_ratio/mean'],
  label: 'Importance ratio',
  unit: 'number',
  formula: 'token mean of p_old / q, before the cap (TRL: after)',
  value: (context) => tokenMean(context, ratio),
});

export const importanceMax = optionalMetric({
  key: 'importanceMax',
  names: ['sampling/importance_sampling_ratio/max'],
  label: 'Importance ratio, greatest',
  unit: 'number',
  formula: 'the greatest p_old / q of the same tokens, before the cap (TRL: after)',
  value: (context) => tokenExtremes(context, ratio)?.greatest ?? null,
});
