/** Expected gradients as exact sums over all samples of a small policy: which estimators are unbiased for ∇E[R], and by how much others are off. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { worstDifference } from '../testing/accuracy.ts';
import { evaluatedLoss } from '../testing/lossOnDevice.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { centredAdvantages, type Baseline } from './advantages.ts';
import { PLAIN_LOSS, tokenLoss, type LossSettings } from './losses.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

/** Three answers of one token: their probabilities and rewards. */
const P = [0.2, 0.5, 0.3];
const REWARDS = [1, -0.1, 0.3];
const EXPECTED_REWARD = 0.2 - 0.05 + 0.09;
/** ∇E[R] by the logits: p_x (R_x − E[R]). */
const TRUE_GRADIENT = P.map((p, x) => p * ((REWARDS[x] ?? NaN) - EXPECTED_REWARD));

/** All groups of `size` answers. */
function allGroups(size: number): number[][] {
  return size === 0 ? [[]] : allGroups(size - 1).flatMap((group) => P.map((_, x) => [...group, x]));
}

/** E over groups of (1 / G) Σ_i A_i ∇log p(x_i), by the logits: ∇log p(x) has [x = j] − p_j. */
function expectedGradient(size: number, baseline: Baseline): number[] {
  const gradient = P.map(() => 0);
  for (const group of allGroups(size)) {
    const probability = group.reduce((product, x) => product * (P[x] ?? NaN), 1);
    const [advantages = []] = centredAdvantages([group.map((x) => REWARDS[x] ?? NaN)], baseline);
    group.forEach((x, i) =>
      P.forEach((p, j) => {
        const direction = (x === j ? 1 : 0) - p;
        gradient[j] = (gradient[j] ?? NaN) + (probability * (advantages[i] ?? NaN) * direction) / size;
      }),
    );
  }
  return gradient;
}

describe('advantages', () => {
  test.each([2, 3, 4])('in groups of %i: leave-one-out, a fixed baseline and none are unbiased', (size) => {
    for (const baseline of [
      { kind: 'leave_one_out' },
      { kind: 'moving', value: 0.5 },
      { kind: 'none' },
    ] as const)
      expect(worstDifference(expectedGradient(size, baseline), TRUE_GRADIENT)).toBeLessThan(1e-14);
  });

  test.each([2, 3, 4])(
    'in groups of %i the mean of the group itself shrinks the gradient by (G − 1) / G',
    (size) => {
      const shrunk = TRUE_GRADIENT.map((derivative) => (derivative * (size - 1)) / size);
      expect(worstDifference(expectedGradient(size, { kind: 'group' }), shrunk)).toBeLessThan(1e-14);
    },
  );
});

/** E over samples of q of the loss's gradient by the logits of p, through the device. */
async function lossGradient(
  changes: Partial<LossSettings> & Pick<LossSettings, 'loss'>,
  q: readonly number[],
) {
  const logprob = [P.map(Math.log)];
  const sampled = [q.map(Math.log)];
  const { gradient } = await evaluatedLoss(
    tokenLoss({
      ...PLAIN_LOSS,
      bounds: { low: 0, high: 1e6 },
      ...changes,
    }),
    {
      logprob,
      oldLogprob: sampled,
      samplerLogprob: sampled,
      referenceLogprob: logprob,
      advantage: [REWARDS.map((reward) => reward - 0.4)],
      mask: [P.map(() => 1)],
      weights: [q],
    },
  );
  const [byLogprob = []] = gradient;
  const total = byLogprob.reduce((sum, derivative) => sum + derivative, 0);
  return byLogprob.map((derivative, j) => derivative - (P[j] ?? NaN) * total);
}

describe('losses', () => {
  const ASCENT = TRUE_GRADIENT.map((derivative) => -derivative);
  const OTHER = [0.4, 0.25, 0.35];

  test.each(['reinforce', 'importance_sampling', 'ppo', 'cispo', 'dro', 'grpo'] as const)(
    '%s descends −∇E[R] on-policy',
    async (loss) => expect(worstDifference(await lossGradient({ loss }, P), ASCENT)).toBeLessThan(1e-6),
  );

  test.each(['importance_sampling', 'ppo', 'cispo'] as const)(
    '%s does so under samples of another policy, too, where nothing is clipped',
    async (loss) => expect(worstDifference(await lossGradient({ loss }, OTHER), ASCENT)).toBeLessThan(1e-6),
  );

  test('REINFORCE has no ratio, and under samples of another policy descends something else', async () => {
    expect(worstDifference(await lossGradient({ loss: 'reinforce' }, OTHER), ASCENT)).toBeGreaterThan(0.01);
  });

  test('clipping biases the gradient of samples of another policy', async () => {
    const clipped = await lossGradient({ loss: 'cispo', bounds: { low: 0.8, high: 1.2 } }, OTHER);
    expect(worstDifference(clipped, ASCENT)).toBeGreaterThan(0.01);
  });
});
