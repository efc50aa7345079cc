/**
 * Distances between policies: from the reference by Schulman's estimators (joschu.net/blog/kl-approx.html) and by Tinker's; of the trainer
 * from the distribution of the drawn tokens, update by update; and TRL's gap of p_old and the sampler.
 */
import { greatest } from '@rl-playground/base/statistics';
import type { TrainedValues } from '@rl-playground/engine/parts';
import { optionalMetric, type StepContext } from './context.ts';
import { at, tokenExtremes, tokenMean, type TokenValue } from './statistics.ts';

/** log π_ref − log p of one token. */
function logRatio({ referenceLogprobs, logprobs }: TrainedValues, t: number): number {
  return at(referenceLogprobs, t) - at(logprobs, t);
}

const distance: TokenValue = ({ oldLogprobs }, t, sampled) => Math.abs(at(oldLogprobs, t) - sampled);
const ratio: TokenValue = ({ oldLogprobs }, t, sampled) => Math.exp(at(oldLogprobs, t) - sampled);

/**
 * Mean over the tokens that were learned from, estimated without bias from the completions whose distance to the reference was measured:
 * each counts for as many as it stands for.
 */
function referenceMean({ rollouts }: StepContext, value: TokenDistance): number | null {
  let sum = 0;
  let count = 0;
  for (const { trained, logprobs, referenceWeight } of rollouts) {
    if (trained === null || !trained.counted) continue;
    count += logprobs.length;
    if (referenceWeight === 0) continue;
    logprobs.forEach((sampled, t) => {
      sum += referenceWeight * value(trained, t, sampled);
    });
  }
  return count === 0 ? null : sum / count;
}

type TokenDistance = (trained: TrainedValues, t: number, sampled: number) => number;

export const KL_METRICS = {
  kl: optionalMetric('nats', {
    names: ['optim/kl_policy_start', 'kl'],
    label: 'KL to the reference, k3',
    formula: 'token mean of exp(r) − r − 1, r = log π_ref − log p',
    value: (context) =>
      referenceMean(context, (trained, t) => {
        const r = logRatio(trained, t);
        return Math.expm1(r) - r;
      }),
  }),
  klK1: optionalMetric('nats', {
    names: ['optim/kl_k1'],
    label: 'KL to the reference, k1',
    formula: 'token mean of −r, r = log π_ref − log p; may be negative',
    value: (context) => referenceMean(context, (trained, t) => -logRatio(trained, t)),
  }),
  klK2: optionalMetric('nats', {
    names: ['optim/kl_k2'],
    label: 'KL to the reference, k2',
    formula: 'token mean of ½ r², r = log π_ref − log p',
    value: (context) => referenceMean(context, (trained, t) => 0.5 * logRatio(trained, t) ** 2),
  }),
  klPolicyBase: optionalMetric('nats', {
    names: ['kl_policy_base'],
    label: 'KL of the sampler to the reference',
    formula: 'token mean of log q − log π_ref; may be negative',
    value: (context) =>
      referenceMean(context, (trained, t, sampled) => sampled - at(trained.referenceLogprobs, t)),
  }),
  klSampleTrainV1: optionalMetric('nats', {
    names: ['optim/kl_sample_train_v1'],
    label: 'Sampler–trainer KL, v1',
    formula:
      'token mean of log q − log p, p in the forward pass of the token’s first update; may be negative',
    value: (context) => tokenMean(context, (trained, t, sampled) => sampled - at(trained.logprobs, t)),
  }),
  klSampleTrainV2: optionalMetric('nats', {
    names: ['optim/kl_sample_train_v2'],
    label: 'Sampler–trainer KL, v2',
    formula: 'token mean of ½ (log q − log p)², p in the forward pass of the token’s first update',
    value: (context) =>
      tokenMean(context, (trained, t, sampled) => 0.5 * (sampled - at(trained.logprobs, t)) ** 2),
  }),
  klFirstUpdateV1: optionalMetric('nats', {
    names: ['optim/kl_sample_train_v1_first_update'],
    label: 'Sampler–trainer KL in the first update, v1',
    formula: 'v1 over the tokens of the step’s first update, in its forward pass',
    value: ({ updates }) => updates[0]?.klSampleTrainV1 ?? null,
  }),
  klFirstUpdateV2: optionalMetric('nats', {
    names: ['optim/kl_sample_train_v2_first_update'],
    label: 'Sampler–trainer KL in the first update, v2',
    formula: 'v2 over the tokens of the step’s first update, in its forward pass',
    value: ({ updates }) => updates[0]?.klSampleTrainV2 ?? null,
  }),
  mismatchMax: optionalMetric('nats', {
    names: ['sampling/sampler_trainer_difference/max'],
    label: 'Sampler against trainer, greatest',
    formula:
      'the greatest |log q − log p| over the tokens of the step’s first update, in its forward pass, in f32',
    value: ({ updates }) => updates[0]?.greatestGap ?? null,
  }),
  mismatchExact: optionalMetric('tokens', {
    names: ['sampling/sampler_trainer_difference/exact_tokens'],
    label: 'Sampler equal to trainer',
    formula: 'how many of those tokens have log q = log p to the last bit of f32',
    value: ({ updates }) => updates[0]?.exactTokens ?? null,
  }),
  mismatchTokens: optionalMetric('tokens', {
    names: ['sampling/sampler_trainer_difference/tokens'],
    label: 'Tokens compared',
    formula: 'tokens of the step’s first update',
    value: ({ updates }) => updates[0]?.tokens ?? null,
  }),
  klLaterUpdatesV1: optionalMetric('nats', {
    names: ['optim/kl_sample_train_v1_later_updates'],
    label: 'Sampler–trainer KL in later updates, v1',
    formula: 'the largest |v1| of the step’s updates after the first, each in its own forward pass',
    value: ({ updates }) => greatest(updates.slice(1).map((update) => Math.abs(update.klSampleTrainV1))),
  }),
  klLaterUpdatesV2: optionalMetric('nats', {
    names: ['optim/kl_sample_train_v2_later_updates'],
    label: 'Sampler–trainer KL in later updates, v2',
    formula: 'the largest v2 of the step’s updates after the first, each in its own forward pass',
    value: ({ updates }) => greatest(updates.slice(1).map((update) => update.klSampleTrainV2)),
  }),
  klPrePostV1: optionalMetric('nats', {
    names: ['kl_pre_post_v1'],
    label: 'KL of the update, v1',
    formula: 'token mean of log q − log p′, p′ after the last update of the step',
    value: (context) =>
      tokenMean(context, ({ postLogprobs }, t, sampled) =>
        postLogprobs === null ? null : sampled - at(postLogprobs, t),
      ),
  }),
  klPrePostV2: optionalMetric('nats', {
    names: ['kl_pre_post_v2'],
    label: 'KL of the update, v2',
    formula: 'token mean of ½ (log q − log p′)², p′ after the last update of the step',
    value: (context) =>
      tokenMean(context, ({ postLogprobs }, t, sampled) =>
        postLogprobs === null ? null : 0.5 * (sampled - at(postLogprobs, t)) ** 2,
      ),
  }),
  samplerGapMean: optionalMetric('nats', {
    names: ['sampling/sampling_logp_difference/mean'],
    label: 'Old policy to sampler',
    formula: 'token mean of |log p_old − log q|; 0 where p_old is taken from the sampler',
    value: (context) => tokenMean(context, distance),
  }),
  samplerGapMax: optionalMetric('nats', {
    names: ['sampling/sampling_logp_difference/max'],
    label: 'Old policy to sampler, greatest',
    formula: 'the greatest |log p_old − log q| of the same tokens',
    value: (context) => tokenExtremes(context, distance)?.greatest ?? null,
  }),
  importanceMin: optionalMetric('number', {
    names: ['sampling/importance_sampling_ratio/min'],
    label: 'Importance ratio, least',
    formula:
      'the least p_old / q of the same tokens, before truncated importance sampling caps it (TRL: after)',
    value: (context) => tokenExtremes(context, ratio)?.least ?? null,
  }),
  importanceMean: optionalMetric('number', {
    names: ['sampling/importance_sampling_ratio/mean'],
    label: 'Importance ratio',
    formula: 'token mean of p_old / q, before the cap (TRL: after)',
    value: (context) => tokenMean(context, ratio),
  }),
  importanceMax: optionalMetric('number', {
    names: ['sampling/importance_sampling_ratio/max'],
    label: 'Importance ratio, greatest',
    formula: 'the greatest p_old / q of the same tokens, before the cap (TRL: after)',
    value: (context) => tokenExtremes(context, ratio)?.greatest ?? null,
  }),
} as const;
