/** Charts of the policy: how open it is, how far it has moved, and how long its answers are. */
import { fixed, percent } from '../../format/format.ts';
import { curvesOf, PLAIN, type ChartGroup } from './spec.ts';

export const POLICY_CHARTS: ChartGroup = {
  charts: [
    {
      id: 'entropy',
      title: 'Entropy',
      unit: 'nats per token',
      reading: 'How open the next token still is; zero means no doubt.',
      ...curvesOf({ entropy: 'exact', samplerEntropy: 'estimate from samples' }),
      ...PLAIN,
    },
    {
      id: 'kl-reference',
      title: 'KL to the reference',
      unit: 'nats per token',
      reading:
        'Three estimates of one distance. k1 is right on average but noisy; k2 and k3 are never negative.',
      ...curvesOf({ klK1: 'k1', klK2: 'k2', kl: 'k3', klPolicyBase: 'sampler, k1' }),
      ...PLAIN,
      range: [null, null],
    },
    {
      id: 'length',
      title: 'Answer length',
      unit: 'tokens',
      reading: 'The shortest, the mean and the longest answer of each step.',
      ...curvesOf({ meanLength: 'mean', minLength: 'shortest', maxLength: 'longest' }),
      ...PLAIN,
      format: (value) => fixed(value, 1),
    },
    {
      id: 'truncated',
      title: 'Cut answers',
      unit: 'share of answers',
      reading: 'Answers that ran into the token limit.',
      ...curvesOf({ truncated: 'cut' }),
      range: [0, 1],
      format: (value) => percent(value),
      tick: (value) => percent(value, 0),
    },
  ],
};
