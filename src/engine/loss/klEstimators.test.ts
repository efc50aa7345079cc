/** k1, k2 and k3: values, and what each descends as a loss, as exact sums over a small categorical distribution. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { drawsFor } from '@rl-playground/base/random';
import { worstDifference } from '../testing/accuracy.ts';
import { evaluatedLoss } from '../testing/lossOnDevice.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { KL_ESTIMATORS, klPenalty } from './klPenalty.ts';
import type { TokenLoss } from './inputs.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

async function estimates(name: keyof typeof KL_ESTIMATORS, r: readonly number[]): Promise<number[]> {
  const values = KL_ESTIMATORS[name](tf.tensor2d([...r], [1, r.length]));
  return Array.from(await values.data());
}

test('of a reference at −1.2 and a policy at −1: 0.2, 0.02 and 0.0187308', async () => {
  for (const [name, expected] of [
    ['k1', 0.2],
    ['k2', 0.02],
    ['k3', 0.0187308],
  ] as const)
    expect(worstDifference(await estimates(name, [-0.2]), [expected])).toBeLessThan(1e-6);
});

test('k2 and k3 are 0 where the policies agree and never negative beyond rounding', async () => {
  const draw = drawsFor(3);
  for (const name of ['k2', 'k3'] as const) {
    expect(await estimates(name, [0])).toEqual([0]);
    for (const spread of [1e-5, 1e-3, 0.1, 3]) {
      const r = Array.from({ length: 64 }, () => spread * (2 * draw() - 1));
      // exp(r) is near 1 and rounded to 24 bits.
      expect(Math.min(...(await estimates(name, r)))).toBeGreaterThanOrEqual(-(2 ** -23));
    }
  }
});

function softmax(logits: readonly number[]): number[] {
  const exps = logits.map(Math.exp);
  const sum = exps.reduce((total, value) => total + value, 0);
  return exps.map((value) => value / sum);
}

/** KL(p ‖ q), nats. */
const divergence = (p: readonly number[], q: readonly number[]): number =>
  p.reduce((sum, probability, x) => sum + probability * Math.log(probability / (q[x] ?? NaN)), 0);

/** The gradient by the logits, by central differences. */
function gradientOf(of: (logits: readonly number[]) => number, logits: readonly number[]): number[] {
  const step = 1e-6;
  const moved = (i: number, by: number): number =>
    of(logits.map((logit, j) => (i === j ? logit + by : logit)));
  return logits.map((_, i) => (moved(i, step) - moved(i, -step)) / (2 * step));
}

/**
 * Expected value of a loss under samples of p = softmax(logits), and the expectation of its gradient by the logits: every outcome
 * is one token, weighed by its probability, which is held fixed as in training on samples.
 */
async function expectation(
  loss: TokenLoss,
  logits: readonly number[],
  reference: readonly number[],
): Promise<{ value: number; gradient: number[] }> {
  const p = softmax(logits);
  const row = p.map(Math.log);
  const { value, gradient } = await evaluatedLoss(loss, {
    logprob: [row],
    oldLogprob: [row],
    samplerLogprob: [row],
    referenceLogprob: [reference.map(Math.log)],
    advantage: [p.map(() => 0)],
    mask: [p.map(() => 1)],
    weights: [p],
  });
  // ∂ log p_x / ∂ logit_j = [x = j] − p_j.
  const byLogprob = gradient[0] ?? [];
  const total = byLogprob.reduce((sum, derivative) => sum + derivative, 0);
  return { value, gradient: byLogprob.map((derivative, j) => derivative - (p[j] ?? NaN) * total) };
}

const loss =
  (name: keyof typeof KL_ESTIMATORS): TokenLoss =>
  ({ logprob, referenceLogprob }) =>
    KL_ESTIMATORS[name](tf.sub(referenceLogprob, logprob));

/** f32 sums of a few terms of order 1. */
const ROUNDING = 2e-6;

describe.each([1, 2, 3])('over a categorical of six outcomes, number %i', (number) => {
  const draw = drawsFor(41, number);
  const logits = Array.from({ length: 6 }, () => 4 * draw() - 2);
  const reference = softmax(logits.map((logit) => logit + 2 * draw() - 1));
  const reverse = (at: readonly number[]): number => divergence(softmax(at), reference);
  const forward = (at: readonly number[]): number => divergence(reference, softmax(at));

  test('k1 and k3 are unbiased, k2 is not', async () => {
    const expected = reverse(logits);
    expect(expected).toBeGreaterThan(0.02);
    for (const name of ['k1', 'k3'] as const)
      expect(Math.abs((await expectation(loss(name), logits, reference)).value - expected)).toBeLessThan(
        ROUNDING,
      );
    const { value } = await expectation(loss('k2'), logits, reference);
    expect(Math.abs(value - expected)).toBeGreaterThan(100 * ROUNDING);
  });

  test('k1 as a loss has an expected gradient of zero', async () => {
    const { gradient } = await expectation(loss('k1'), logits, reference);
    expect(worstDifference(gradient, [0, 0, 0, 0, 0, 0])).toBeLessThan(ROUNDING);
  });

  test('k2 as a loss has the gradient of KL(p ‖ p_ref)', async () => {
    const { gradient } = await expectation(klPenalty({ estimator: 'k2', beta: 0.5 }), logits, reference);
    const expected = gradientOf((at) => 0.5 * reverse(at), logits);
    expect(worstDifference(gradient, expected)).toBeLessThan(ROUNDING);
  });

  test('k3 weighed by the ratio has the gradient of KL(p ‖ p_ref), as TRL says', async () => {
    const penalty = klPenalty({ estimator: 'k3', beta: 0.5, biasCorrection: true });
    const { value, gradient } = await expectation(penalty, logits, reference);
    expect(Math.abs(value - 0.5 * reverse(logits))).toBeLessThan(ROUNDING);
    const expected = gradientOf((at) => 0.5 * reverse(at), logits);
    expect(worstDifference(gradient, expected)).toBeLessThan(ROUNDING);
  });

  test('k3 as a loss has the gradient of KL(p_ref ‖ p), which is p − p_ref by the logits, and not that of KL(p ‖ p_ref)', async () => {
    const { gradient } = await expectation(klPenalty({ estimator: 'k3', beta: 0.5 }), logits, reference);
    expect(
      worstDifference(
        gradient,
        gradientOf((at) => 0.5 * forward(at), logits),
      ),
    ).toBeLessThan(ROUNDING);
    const difference = softmax(logits).map((p, x) => 0.5 * (p - (reference[x] ?? NaN)));
    expect(worstDifference(gradient, difference)).toBeLessThan(ROUNDING);
    const other = gradientOf((at) => 0.5 * reverse(at), logits);
    expect(worstDifference(gradient, other)).toBeGreaterThan(100 * ROUNDING);
  });
});

test('near the reference the bias of k2 and the distance of k3’s gradient from k2’s shrink by powers of the distance', async () => {
  const draw = drawsFor(8);
  const logits = Array.from({ length: 6 }, () => 2 * draw() - 1);
  const direction = logits.map(() => 2 * draw() - 1);
  const at = async (scale: number): Promise<{ bias: number; apart: number }> => {
    const reference = softmax(logits.map((logit, x) => logit + scale * (direction[x] ?? NaN)));
    const k2 = await expectation(loss('k2'), logits, reference);
    const k3 = await expectation(loss('k3'), logits, reference);
    const bias = Math.abs(k2.value - divergence(softmax(logits), reference));
    return { bias, apart: worstDifference(k2.gradient, k3.gradient) };
  };
  const [far, near] = [await at(0.8), await at(0.2)];
  // Of third order 4³ = 64 times smaller, of second order 4² = 16 times; higher orders blur both.
  expect(far.bias / near.bias).toBeGreaterThan(32);
  expect(far.bias / near.bias).toBeLessThan(128);
  expect(far.apart / near.apart).toBeGreaterThan(8);
  expect(far.apart / near.apart).toBeLessThan(32);
});
