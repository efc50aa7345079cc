import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { drawsFor } from '../tasks/random.ts';
import { worstDifference } from '../testing/accuracy.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { groupAdvantages } from './advantages.ts';
import { packMicrobatches } from './batch.ts';
import { grpoLoss, k3, lossOf, negativeLogLikelihood, reinforceLoss, type LossInputs } from './losses.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

type Numbers = Readonly<Record<'p' | 'q' | 'reference' | 'advantage' | 'weight', readonly number[]>>;

/** Value and derivative by log p. */
async function evaluated(
  loss: (inputs: LossInputs) => tf.Scalar,
  { p, q, reference, advantage, weight }: Partial<Numbers> & Pick<Numbers, 'p'>,
): Promise<{ value: number; gradient: number[] }> {
  const fill = (values: readonly number[] | undefined, otherwise: number) =>
    tf.tensor1d(values ? [...values] : p.map(() => otherwise));
  const held = {
    samplerLogprob: fill(q ?? p, 0),
    referenceLogprob: fill(reference ?? p, 0),
    advantage: fill(advantage, 1),
    weights: fill(weight, 1),
  };
  const { value, grads } = tf.valueAndGrads((logprob: tf.Tensor) =>
    loss({ ...held, logprob: logprob as tf.Tensor1D }),
  )([tf.tensor1d([...p])]);
  const [scalar = NaN] = await value.data();
  return { value: scalar, gradient: Array.from((await grads[0]?.data()) ?? []) };
}

describe('known values', () => {
  test('clipped surrogate where clipping never lowers the objective', async () => {
    const { value, gradient } = await evaluated(grpoLoss, {
      p: [-0.9, -0.8, -1.5],
      q: [-1, -0.5, -2],
      advantage: [1, 1, -0.5],
    });
    expect(value).toBeCloseTo(-1.0216285, 5);
    expect(worstDifference(gradient, [-1.105171, -0.740818, 0.824361])).toBeLessThan(1e-5);
  });

  test('clipped surrogate where both tokens are clipped: no gradient', async () => {
    const { value, gradient } = await evaluated(grpoLoss, {
      p: [-1.5, -0.8],
      q: [-2, -0.5],
      advantage: [1, -1],
    });
    expect(value).toBeCloseTo(-0.4, 6);
    expect(gradient.map(Math.abs)).toEqual([0, 0]);
  });

  test('at ρ = 1 the surrogate has the gradient of REINFORCE', async () => {
    const inputs = { p: [-0.3, -2, -1], advantage: [0.5, -1, 2], weight: [0.5, 0.3, 0.2] };
    const clipped = await evaluated(grpoLoss, inputs);
    const plain = await evaluated(reinforceLoss, inputs);
    expect(worstDifference(clipped.gradient, plain.gradient)).toBeLessThan(1e-7);
    expect(worstDifference(plain.gradient, [-0.25, 0.3, -0.4])).toBeLessThan(1e-7);
  });

  test('the moving-baseline REINFORCE of the Monarch experiment: −0.9791667', async () => {
    const completions = [
      { logprobs: [-0.5, -1, -0.25], reward: 1 },
      { logprobs: [-2, -1], reward: -1 },
    ];
    const sequences = completions.map(({ logprobs, reward }) => ({
      promptIds: [1],
      tokens: logprobs.map(() => 1),
      samplerLogprobs: logprobs,
      advantage: reward - 0.5,
    }));
    const [batch] = packMicrobatches(sequences, 'sequence_mean', 1e6);
    const { value } = await evaluated(reinforceLoss, {
      p: [...(batch?.samplerLogprobs ?? [])],
      advantage: [...(batch?.advantages ?? [])],
      weight: [...(batch?.weights ?? [])],
    });
    expect(value).toBeCloseTo(-0.9791667, 6);
  });

  test('REINFORCE without baseline, summed over tokens and averaged over sequences: 1.04', async () => {
    const { value } = await evaluated(reinforceLoss, {
      p: [-1.2, -0.3, -0.1, -0.7, -0.9],
      advantage: [1, 1, 1, 0.3, 0.3],
      weight: [0.5, 0.5, 0.5, 0.5, 0.5],
    });
    expect(value).toBeCloseTo(1.04, 6);
  });

  test.each([
    ['sequence_mean', 0],
    ['token_mean', -0.1731751],
  ] as const)('GRPO over completions of 2, 3, 1 and 4 tokens, %s', async (reduction, expected) => {
    const [advantages = []] = groupAdvantages([[1, 0, 0, 1]], true);
    const sequences = [2, 3, 1, 4].map((length, i) => ({
      promptIds: [1, 2],
      tokens: Array.from({ length }, () => 3),
      samplerLogprobs: Array.from({ length }, () => -1),
      advantage: advantages[i] ?? NaN,
    }));
    const [batch] = packMicrobatches(sequences, reduction, 1e6);
    const { value } = await evaluated(grpoLoss, {
      p: [...(batch?.samplerLogprobs ?? [])],
      advantage: [...(batch?.advantages ?? [])],
      weight: [...(batch?.weights ?? [])],
    });
    expect(value).toBeCloseTo(expected, 6);
  });

  test('k3 of reference −1.2 and policy −1 is 0.0187308', async () => {
    const divergence = k3({ logprob: tf.tensor1d([-1]), referenceLogprob: tf.tensor1d([-1.2]) });
    expect(worstDifference([...(await divergence.data())], [0.0187308])).toBeLessThan(1e-6);
  });

  test('supervised loss is the weighted negative log-likelihood', async () => {
    const { value, gradient } = await evaluated(negativeLogLikelihood, { p: [-1, -3], weight: [0.25, 0.75] });
    expect(value).toBeCloseTo(2.5, 6);
    expect(worstDifference(gradient, [-0.25, -0.75])).toBeLessThan(1e-7);
  });
});

/** The same formulas in float64, written from the papers, without tensors. */
function referenceLoss(algorithm: 'grpo' | 'reinforce', beta: number, numbers: Numbers): number {
  const { p, q, reference, advantage, weight } = numbers;
  return p.reduce((sum, logp, i) => {
    const [a, w] = [advantage[i] ?? NaN, weight[i] ?? NaN];
    const ratio = Math.exp(logp - (q[i] ?? NaN));
    const surrogate = Math.min(ratio * a, Math.min(1.2, Math.max(0.8, ratio)) * a);
    const r = (reference[i] ?? NaN) - logp;
    const gain = algorithm === 'grpo' ? surrogate : a * logp;
    return sum - w * gain + beta * w * (Math.exp(r) - r - 1);
  }, 0);
}

describe('values and gradients against float64 and its central differences', () => {
  const draw = drawsFor(11);
  const numbers = (low: number, high: number) =>
    Array.from({ length: 64 }, () => low + (high - low) * draw());
  const p = numbers(-4, -0.1);
  // Ratios keep off the kinks at 0.8 and 1.2, where a derivative does not exist.
  const ratios = numbers(0, 1).map((u, i) => [0.4 + 0.35 * u, 0.85 + 0.3 * u, 1.25 + u][i % 3] ?? NaN);
  const inputs: Numbers = {
    p,
    q: p.map((logp, i) => logp - Math.log(ratios[i] ?? NaN)),
    reference: p.map((logp) => logp + 2 * draw() - 1),
    advantage: numbers(-1, 1),
    weight: numbers(0, 0.05),
  };

  for (const algorithm of ['grpo', 'reinforce'] as const) {
    for (const klBeta of [0, 0.3]) {
      test(`${algorithm}, β = ${klBeta}`, async () => {
        const { value, gradient } = await evaluated(lossOf({ algorithm, klBeta }), inputs);
        expect(value).toBeCloseTo(referenceLoss(algorithm, klBeta, inputs), 5);
        const step = 1e-6;
        const shifted = (i: number, by: number) =>
          referenceLoss(algorithm, klBeta, {
            ...inputs,
            p: p.map((logp, j) => (i === j ? logp + by : logp)),
          });
        expect(
          worstDifference(
            gradient,
            p.map((_, i) => (shifted(i, step) - shifted(i, -step)) / (2 * step)),
          ),
        ).toBeLessThan(1e-6);
      });
    }
  }

  test('k3 is 0 where the policies agree and never negative beyond rounding', async () => {
    const logprob = tf.tensor1d(numbers(-5, 0));
    expect(new Set(await k3({ logprob, referenceLogprob: logprob }).data())).toEqual(new Set([0]));
    for (const spread of [1e-5, 1e-3, 0.1, 3]) {
      const referenceLogprob = tf.add(logprob, tf.tensor1d(numbers(-spread, spread))) as tf.Tensor1D;
      // exp(r) is near 1 and rounded to 24 bits.
      expect(Math.min(...(await k3({ logprob, referenceLogprob }).data()))).toBeGreaterThanOrEqual(
        -(2 ** -23),
      );
    }
  });
});
