/** Charts of the policy, its distance from the policy that sampled, and its updates. */
import { KL_LINE, klCause } from '@rl-playground/run/diagnosis';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { count, fixed, percent } from '../../../ui/text/format.ts';
import { curvesOf, SHARES, type ChartGroup, type Remark } from './spec.ts';

export const POLICY_CHARTS: ChartGroup = {
  title: 'Policy and lengths',
  note: 'entropy, KL to the reference, answer length',
  charts: [
    {
      id: 'entropy',
      title: 'Entropy',
      unit: 'nats per token',
      reading: 'How uncertain the model is about the next token. Zero means certain.',
      ...curvesOf({ entropy: 'exact', samplerEntropy: 'estimate from samples' }),
    },
    {
      id: 'kl-reference',
      title: 'KL to the reference',
      unit: 'nats per token',
      reading:
        'Three estimates of the same distance. k1 is unbiased but noisy; k2 and k3 are never negative.',
      ...curvesOf({ klK1: 'k1', klK2: 'k2', kl: 'k3', klPolicyBase: 'sampler, k1' }),
      range: [null, null],
    },
    {
      id: 'length',
      title: 'Answer length',
      unit: 'tokens',
      reading: 'The shortest, the mean and the longest answer of each step.',
      ...curvesOf({ meanLength: 'mean', minLength: 'shortest', maxLength: 'longest' }),
      format: (value) => fixed(value, 1),
    },
    {
      id: 'truncated',
      title: 'Cut answers',
      unit: 'share of answers',
      reading: 'Answers that reached the token limit.',
      ...curvesOf({ truncated: 'cut' }),
      ...SHARES,
    },
  ],
};

/** A bound for the rounding between sampler and trainer, which is 1e-6 to 2e-5 nats on the page's models. */
const ROUNDING = 1e-4;

/** The share of tokens of the latest step that both rate alike to the last bit. */
export function equalRemark(metrics: readonly StepMetrics[]): Remark | null {
  const { step = 0, mismatchExact = null, mismatchTokens = null, policyAgeMax = null } = metrics.at(-1) ?? {};
  if (mismatchExact === null || !mismatchTokens) return null;
  const equal = `Step ${step}: no difference at all for ${percent(mismatchExact / mismatchTokens)} of ${count(mismatchTokens)} tokens.`;
  const aged = 'Older weights sampled some of these answers, which counts here too.';
  return { spoken: '', text: (policyAgeMax ?? 0) > 0 ? `${equal} ${aged}` : equal };
}

export const OFF_POLICY_CHARTS: ChartGroup = {
  title: 'Sampler and trainer',
  note: 'KL with Tinker’s 0.01 line, age, clipping',
  charts: [
    {
      id: 'mismatch',
      title: 'Largest difference of a token',
      unit: 'nats',
      reading:
        'Sampler and trainer each compute the probability of every sampled token. This is the largest |Δ log p| before an update has changed the model. What rounding does not explain is a fault of a device, or a setting such as noise in generators.',
      ...curvesOf({ mismatchMax: 'largest' }),
      level: { value: ROUNDING, label: `rounding stays below ${ROUNDING}` },
      remark: equalRemark,
    },
    {
      id: 'kl-sample-train',
      title: 'Sampler against trainer',
      unit: 'nats per token',
      reading:
        'How differently generators and trainer rate the same tokens: v1 is the mean difference of log-probabilities, v2 half the mean of its square. On-policy both are rounding noise.',
      ...curvesOf({ klSampleTrainV1: 'v1', klSampleTrainV2: 'v2' }),
      range: [null, null],
      level: { value: KL_LINE, label: `stable runs stay below ${KL_LINE}` },
      remark: (metrics, config) => {
        const cause = config === null ? null : klCause(metrics, config);
        return cause === null ? null : { spoken: `${cause.title}.`, text: cause.text };
      },
    },
    {
      id: 'kl-pre-post',
      title: 'KL of the update',
      unit: 'nats per token',
      reading: 'How far all updates of a step moved the policy from the one that sampled the answers.',
      ...curvesOf({ klPrePostV1: 'v1', klPrePostV2: 'v2' }),
      range: [null, null],
    },
    {
      id: 'clip',
      title: 'Clipped tokens',
      unit: 'share of tokens',
      reading: 'Tokens whose probability changed so much that this batch does not change them further.',
      ...curvesOf({ clipLow: 'low', clipHigh: 'high' }),
      format: (value) => percent(value, 2),
      tick: (value) => percent(value, 2),
    },
    {
      id: 'policy-age',
      title: 'Policy age',
      unit: 'updates behind',
      reading: 'Age of the weights that sampled the answers of the step. Zero is on-policy.',
      ...curvesOf({ policyAgeMean: 'mean', policyAgeMin: 'least', policyAgeMax: 'greatest' }),
      range: [0, 1],
      format: (value) => fixed(value, 1),
    },
  ],
};

export const OPTIMIZER_CHARTS: ChartGroup = {
  title: 'Optimizer',
  note: 'gradient norm, learning rate, loss',
  charts: [
    {
      id: 'grad-norm',
      title: 'Gradient norm',
      unit: 'before clipping',
      reading: 'Size of the gradient of an update, over all weights.',
      ...curvesOf({ gradNorm: 'last update', gradNormMax: 'largest of the step' }),
    },
    {
      id: 'learning-rate',
      title: 'Learning rate',
      unit: 'AdamW step size',
      reading: 'The learning rate of each step under its schedule.',
      ...curvesOf({ learningRate: 'learning rate' }),
    },
    {
      id: 'loss',
      title: 'Loss',
      unit: 'policy loss plus penalties',
      reading: 'Values near zero are normal, because advantages cancel out. Judge a run by its reward.',
      ...curvesOf({ loss: 'loss' }),
      range: [null, null],
    },
    {
      id: 'value-loss',
      title: 'Value loss',
      unit: 'half a squared error',
      reading: 'Error of the value head when it predicts rewards, per token.',
      ...curvesOf({ valueLoss: 'value loss' }),
    },
    {
      id: 'explained-variance',
      title: 'Explained variance',
      unit: 'share, 1 is all of it',
      reading:
        'Share of the variance of returns that the value head predicts. At 0 or below it is no better than their mean.',
      ...curvesOf({ explainedVariance: 'explained', valueClipped: 'tokens stopped by the clip range' }),
      range: [null, 1],
      format: (value) => fixed(value, 2),
    },
    {
      id: 'updates',
      title: 'Updates per step',
      unit: 'updates',
      reading: 'Updates made, and updates skipped by the KL limit.',
      ...curvesOf({ updates: 'made', updatesSkipped: 'skipped' }),
    },
  ],
};
