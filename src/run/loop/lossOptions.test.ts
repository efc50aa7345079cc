/** The effect of each setting of a run on its loss, by values worked out by hand. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { evaluatedLoss } from '@rl-playground/engine/testing/lossOnDevice';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { lossOptions, ratioBounds } from './lossOptions.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const optionsOf = (changes: Partial<RunConfig>) =>
  lossOptions({ ...defaultConfig('reverse_digits'), klBeta: 0, ...changes });

interface Token {
  readonly ratio: number;
  readonly advantage?: number;
  /** log p, −1 where nothing else is said. */
  readonly p?: number;
  /** p_ref / p and p_old / q. */
  readonly reference?: number;
  readonly sampler?: number;
}

/** One token's ℓ and dℓ / d log p, to six digits. */
async function token(changes: Partial<RunConfig>, of: Token): Promise<[number, number]> {
  const { ratio, advantage = 1, p = -1, reference = 1, sampler = 1 } = of;
  const old = p - Math.log(ratio);
  const { value, gradient } = await evaluatedLoss(optionsOf(changes).tokenLoss, {
    logprob: [[p]],
    oldLogprob: [[old]],
    samplerLogprob: [[old - Math.log(sampler)]],
    referenceLogprob: [[p + Math.log(reference)]],
    advantage: [[advantage]],
    mask: [[1]],
    weights: [[1]],
  });
  const rounded = (number: number): number => Math.round(1e5 * number) / 1e5 + 0;
  return [rounded(value), rounded(gradient[0]?.[0] ?? NaN)];
}

describe('clipping is given', () => {
  test('as ε around 1 or as bounds of the ratio, the same numbers meaning different things', () => {
    const numbers = { clipLow: 0.8, clipHigh: 1.2 };
    expect(ratioBounds({ loss: 'ppo', clipMeaning: 'ratio_bounds', ...numbers })).toEqual({
      low: 0.8,
      high: 1.2,
    });
    const { low, high } = ratioBounds({ loss: 'ppo', clipMeaning: 'epsilon', ...numbers });
    expect(low).toBeCloseTo(0.2, 12);
    expect(high).toBeCloseTo(2.2, 12);
  });

  test.each(['ppo', 'grpo', 'bnpo', 'dr_grpo', 'dapo'] as const)('to %s in both ways alike', async (loss) => {
    for (const changes of [
      { loss, clipMeaning: 'epsilon', clipLow: 0.2, clipHigh: 0.28 },
      { loss, clipMeaning: 'ratio_bounds', clipLow: 0.8, clipHigh: 1.28 },
    ] as const) {
      expect(await token(changes, { ratio: 2 })).toEqual([-1.28, 0]);
      expect(await token(changes, { ratio: 0.5, advantage: -1 })).toEqual([0.8, 0]);
      expect(await token(changes, { ratio: 1.25 })).toEqual([-1.25, -1.25]);
      const { clip } = optionsOf(changes);
      expect(clip?.low).toBeCloseTo(0.8, 12);
      expect(clip?.high).toBeCloseTo(1.28, 12);
    }
  });

  test('to CISPO as Tinker’s two bounds or as TRL’s one cap, which leaves small ratios as they are', async () => {
    const tinker = { loss: 'cispo', clipMeaning: 'ratio_bounds', clipLow: 0.8, clipHigh: 1.2 } as const;
    expect(await token(tinker, { ratio: 2 })).toEqual([1.2, -1.2]);
    expect(await token(tinker, { ratio: 0.5 })).toEqual([0.8, -0.8]);
    const trl = { loss: 'cispo', clipMeaning: 'epsilon', clipLow: 0.2, clipHigh: 5 } as const;
    expect(ratioBounds(trl)).toEqual({ low: 0, high: 5 });
    expect(await token(trl, { ratio: 8 })).toEqual([5, -5]);
    expect(await token(trl, { ratio: 2 })).toEqual([2, -2]);
    expect(await token(trl, { ratio: 0.5 })).toEqual([0.5, -0.5]);
  });

  test('to a ratio, or under CISPO to the weight of a token', () => {
    for (const loss of ['ppo', 'grpo', 'bnpo', 'dr_grpo', 'dapo'] as const)
      expect(optionsOf({ loss }).clip?.of).toBe('ratio');
    expect(optionsOf({ loss: 'cispo' }).clip?.of).toBe('weight');
  });

  test('to no loss without a clipped ratio', () => {
    for (const loss of ['reinforce', 'importance_sampling', 'dro'] as const)
      expect(optionsOf({ loss }).clip).toBeNull();
  });
});

describe('other settings', () => {
  test('δ bounds the ratio of a negative advantage; 0 is off', async () => {
    const pushed = { ratio: 4, advantage: -1 };
    expect(await token({ loss: 'grpo', clipDelta: 0 }, pushed)).toEqual([4, 4]);
    expect(await token({ loss: 'grpo', clipDelta: 3 }, pushed)).toEqual([3, 0]);
  });

  test('DRO’s β: A log p − ½ β (log p − log p_old)²', async () => {
    // log 2 = 0.693147, its square 0.480453.
    expect(await token({ loss: 'dro', droBeta: 0.05 }, { ratio: 2 })).toEqual([1.01201, -0.96534]);
    expect(await token({ loss: 'dro', droBeta: 0 }, { ratio: 2 })).toEqual([1, -1]);
  });

  test('the KL penalty by k3 or k2, whatever the advantage; β 0 leaves it out', async () => {
    const away = { ratio: 1, advantage: 0, reference: 2 };
    // k3 = 2 − log 2 − 1 with the derivative 1 − 2; k2 = ½ log² 2 with −log 2.
    expect(await token({ loss: 'grpo', klBeta: 0.5, klEstimator: 'k3' }, away)).toEqual([0.15343, -0.5]);
    expect(await token({ loss: 'grpo', klBeta: 0.5, klEstimator: 'k2' }, away)).toEqual([0.12011, -0.34657]);
    expect(await token({ loss: 'grpo', klBeta: 0, klEstimator: 'k2' }, away)).toEqual([0, 0]);
  });

  test('truncated importance sampling weighs by p_old / q up to its cap; 0 is off', async () => {
    const changes = { loss: 'grpo', oldLogprobs: 'trainer' } as const;
    expect(await token({ ...changes, importanceCap: 3 }, { ratio: 1, sampler: 2 })).toEqual([-2, -2]);
    expect(await token({ ...changes, importanceCap: 3 }, { ratio: 1, sampler: 8 })).toEqual([-3, -3]);
    expect(await token({ ...changes, importanceCap: 0 }, { ratio: 1, sampler: 8 })).toEqual([-1, -1]);
  });

  test('weights for the sampler’s error are raised to a floor, or 0 out of bounds', async () => {
    const bounds = { loss: 'grpo', oldLogprobs: 'trainer', importanceFloor: 0.5, importanceCap: 3 } as const;
    for (const importanceMode of ['token_truncate', 'sequence_truncate'] as const) {
      expect(await token({ ...bounds, importanceMode }, { ratio: 1, sampler: 8 })).toEqual([-3, -3]);
      expect(await token({ ...bounds, importanceMode }, { ratio: 1, sampler: 0.25 })).toEqual([-0.5, -0.5]);
      expect(await token({ ...bounds, importanceMode }, { ratio: 1, sampler: 2 })).toEqual([-2, -2]);
    }
    for (const importanceMode of ['token_mask', 'sequence_mask'] as const) {
      expect(await token({ ...bounds, importanceMode }, { ratio: 1, sampler: 8 })).toEqual([0, 0]);
      expect(await token({ ...bounds, importanceMode }, { ratio: 1, sampler: 0.25 })).toEqual([0, 0]);
      expect(await token({ ...bounds, importanceMode }, { ratio: 1, sampler: 2 })).toEqual([-2, -2]);
    }
    const noCap = { ...bounds, importanceCap: 0 };
    expect(await token(noCap, { ratio: 1, sampler: 8 })).toEqual([-8, -8]);
  });

  test('SAPO’s gate: at ρ = 1 as importance sampling, elsewhere softer, by a temperature for each sign', async () => {
    const changes = { loss: 'sapo', sapoTemperaturePositive: 1, sapoTemperatureNegative: 2 } as const;
    // 4 σ(0) = 2, and the derivative 4 σ (1 − σ) = 1.
    expect(await token(changes, { ratio: 1 })).toEqual([-2, -1]);
    // σ(1) = 0.731059: 4 σ = 2.924234, derivative 4 · 0.196612 · ρ 2.
    expect(await token(changes, { ratio: 2 })).toEqual([-2.92423, -1.5729]);
    // τ = 2: 2 σ(2) = 1.761594; 4 · σ(2) (1 − σ(2)) = 0.419974, times ρ 2.
    expect(await token(changes, { ratio: 2, advantage: -1 })).toEqual([1.76159, 0.83995]);
  });

  test('VESPO’s weight: e^λ W^k e^(−λ W), k and λ by the sign', async () => {
    const changes = { loss: 'vespo', vespoKPositive: 2, vespoLambdaPositive: 3 } as const;
    expect(await token(changes, { ratio: 1 })).toEqual([1, -1]);
    // W = 2: 4 e^−3 = 0.199148.
    expect(await token(changes, { ratio: 2 })).toEqual([0.19915, -0.19915]);
    // k = 3, λ = 2: 8 e^−2 = 1.082682.
    expect(await token(changes, { ratio: 2, advantage: -1 })).toEqual([-1.08268, 1.08268]);
    // A sampler that drew it half as likely: W = 1 / 2 · 2 = 1.
    const corrected = { ...changes, oldLogprobs: 'trainer', importanceCap: 3 } as const;
    expect(await token(corrected, { ratio: 0.5, sampler: 2 })).toEqual([1, -1]);
  });

  test('answers that the policy has left teach nothing where A < 0; 0 is off', async () => {
    // log q − log p = log 2 = 0.693.
    const far = { ratio: 0.5, advantage: -1 };
    expect(await token({ loss: 'grpo', offPolicyThreshold: 0.6 }, far)).toEqual([0, 0]);
    expect(await token({ loss: 'importance_sampling', offPolicyThreshold: 0.7 }, far)).toEqual([0.5, 0.5]);
    expect(await token({ loss: 'importance_sampling', offPolicyThreshold: 0 }, far)).toEqual([0.5, 0.5]);
    expect(
      await token({ loss: 'importance_sampling', offPolicyThreshold: 0.6 }, { ...far, advantage: 1 }),
    ).toEqual([-0.5, -0.5]);
  });

  test('the KL term weighed by the ratio: ρ k3, whose gradient passes ρ too', async () => {
    const changes = { loss: 'grpo', klBeta: 0.5, klBiasCorrection: true } as const;
    // k3 = 2 − log 2 − 1 = 0.306853; its derivative 1 − 2, and k3 from ρ = 1.
    expect(await token(changes, { ratio: 1, advantage: 0, reference: 2 })).toEqual([0.15343, -0.34657]);
    expect(await token(changes, { ratio: 3, advantage: 0, reference: 2 })).toEqual([0.46028, -1.03972]);
  });

  test('the reduction is the loss’s own under "auto", and CISPO’s depends on whose it is', () => {
    const reduction = (changes: Partial<RunConfig>) =>
      optionsOf({ lossReduction: 'auto', ...changes }).reduction;
    expect(reduction({ loss: 'dr_grpo' })).toBe('max_length');
    expect(reduction({ loss: 'importance_sampling' })).toBe('sum');
    expect(reduction({ loss: 'cispo', clipMeaning: 'ratio_bounds' })).toBe('sum');
    expect(reduction({ loss: 'cispo', clipMeaning: 'epsilon' })).toBe('batch_token_mean');
    expect(reduction({ loss: 'reinforce', lossReduction: 'sequence_sum' })).toBe('sequence_sum');
  });

  test('L_max, temperature, ratio level and old probabilities are passed on', () => {
    expect(
      optionsOf({ maxTokens: 77, temperature: 0.6, ratioLevel: 'sequence', oldLogprobs: 'trainer' }),
    ).toMatchObject({ maxTokens: 77, temperature: 0.6, ratioLevel: 'sequence', oldLogprobs: 'trainer' });
  });
});
