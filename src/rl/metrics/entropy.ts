/** How open the next token is: exactly, and as Tinker estimates it from the sampled tokens. */
import { optionalMetric } from './metric.ts';
import { at, tokenMean } from './statistics.ts';

export const entropy = optionalMetric({
  key: 'entropy',
  names: ['entropy'],
  label: 'Entropy',
  unit: 'nats',
  formula: 'token mean of −Σ_v p_v log p_v over the vocabulary, at the sampling temperature',
  value: (context) => tokenMean(context, (trained, t) => at(trained.entropies, t)),
});

export const samplerEntropy = optionalMetric({
  key: 'samplerEntropy',
  names: ['optim/entropy'],
  label: 'Entropy of the sampler (estimate)',
  unit: 'nats',
  formula: 'token mean of −log q of the sampled token',
  value: (context) => tokenMean(context, (_trained, _t, sampled) => -sampled),
});
