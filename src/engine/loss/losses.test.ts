/** Losses against published and hand-derived numbers. Random inputs are in `lossGradients.test.ts`. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { lossesWhere, type Reduction } from './lossRows.ts';
import { worstDifference } from '../testing/accuracy.ts';
import { evaluatedLoss, type EvaluatedLoss } from '../testing/lossOnDevice.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { centredAdvantages, scaledAdvantages } from './advantages.ts';
import {
  LOSS_NAMES,
  negativeLogLikelihood,
  PLAIN_LOSS,
  reinforce,
  tokenLoss,
  type LossSettings,
} from './losses.ts';
import type { TokenLoss } from './inputs.ts';
import { reductionOf, weightsOfWhole } from './reduction.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const named = (loss: LossSettings['loss'], settings: Partial<LossSettings> = {}): TokenLoss =>
  tokenLoss({ ...PLAIN_LOSS, ...settings, loss });

interface Row {
  readonly p: readonly number[];
  readonly q?: readonly number[];
  readonly advantage?: readonly number[];
  readonly weight?: readonly number[];
  readonly reference?: readonly number[];
  readonly sampler?: readonly number[];
}

/** One sequence, all of it completion. */
async function evaluated(loss: TokenLoss, row: Row): Promise<EvaluatedLoss & { derivative: number[] }> {
  const { p, q = p, advantage = p.map(() => 1), weight = p.map(() => 1) } = row;
  const result = await evaluatedLoss(loss, {
    logprob: [p],
    oldLogprob: [q],
    samplerLogprob: [row.sampler ?? q],
    referenceLogprob: [row.reference ?? p],
    advantage: [advantage],
    mask: [p.map(() => 1)],
    weights: [weight],
  });
  return { ...result, derivative: result.gradient[0] ?? [] };
}

/** Published numbers have seven digits. */
const PUBLISHED = 1e-6;

/** ρ = 1.105171, 0.740818, 1.648721. */
const CASE_A = { p: [-0.9, -0.8, -1.5], q: [-1, -0.5, -2], advantage: [1, 1, -0.5] };
/** ρ = 1.648721 with A > 0 and 0.740818 with A < 0: both outside of 0.8 to 1.2 on the side where clipping acts. */
const CASE_B = { p: [-1.5, -0.8], q: [-2, -0.5], advantage: [1, -1] };

describe('three tokens of which no clipping lowers the objective', () => {
  test.each<[string, TokenLoss, number, number[]]>([
    ['importance sampling', named('importance_sampling'), -1.0216285, [-1.105171, -0.740818, 0.824361]],
    ['PPO', named('ppo'), -1.0216285, [-1.105171, -0.740818, 0.824361]],
    ['CISPO between 0.8 and 1.2', named('cispo'), 0.7346538, [-1.105171, -0.8, 0.6]],
    [
      'CISPO between 0 and 4',
      named('cispo', { bounds: { low: 0, high: 4 } }),
      0.3507674,
      [-1.105171, -0.740818, 0.824361],
    ],
    ['DRO, β 0.05', named('dro'), 0.95875, [-0.995, -1.015, 0.525]],
    ['REINFORCE', named('reinforce'), 0.95, [-1, -1, 0.5]],
  ])('%s', async (_, loss, value, gradient) => {
    const result = await evaluated(loss, CASE_A);
    expect(Math.abs(result.value - value)).toBeLessThan(PUBLISHED);
    expect(worstDifference(result.derivative, gradient)).toBeLessThan(PUBLISHED);
  });
});

describe('two tokens that are both clipped', () => {
  test.each(['ppo', 'grpo', 'bnpo', 'dr_grpo', 'dapo'] as const)('%s has no gradient', async (name) => {
    const result = await evaluated(named(name), CASE_B);
    expect(result.value).toBeCloseTo(-0.4, 6);
    expect(result.derivative.map(Math.abs)).toEqual([0, 0]);
  });

  test('CISPO trains both', async () => {
    const result = await evaluated(named('cispo'), CASE_B);
    expect(result.value).toBeCloseTo(1.16, 6);
    expect(worstDifference(result.derivative, [-1.2, 0.8])).toBeLessThan(PUBLISHED);
  });
});

describe('clipping, by hand', () => {
  const doubled = { p: [Math.log(0.5)], q: [Math.log(0.25)] };
  const halved = { p: [Math.log(0.25)], q: [Math.log(0.5)] };

  test('upper and lower ε are apart: 1.28 above, 0.8 below', async () => {
    const bounds = { low: 1 - 0.2, high: 1 + 0.28 };
    expect((await evaluated(named('dapo', { bounds }), doubled)).value).toBeCloseTo(-1.28, 6);
    expect((await evaluated(named('dapo', { bounds }), { ...halved, advantage: [-1] })).value).toBeCloseTo(
      0.8,
      6,
    );
  });

  test('a ratio of 2 with A = −1 counts in full, and at most δ with the two-sided clip', async () => {
    const pushed = { ...doubled, advantage: [-1] };
    const open = await evaluated(named('grpo'), pushed);
    expect([open.value, ...open.derivative].map((value) => +value.toFixed(6))).toEqual([2, 2]);
    const bounded = await evaluated(named('grpo', { delta: 1.5 }), pushed);
    expect(bounded.value).toBeCloseTo(1.5, 6);
    expect(bounded.derivative.map(Math.abs)).toEqual([0]);
    const within = await evaluated(named('grpo', { delta: 3 }), pushed);
    expect(within.value).toBeCloseTo(2, 6);
  });

  test('δ caps the ratio, not the clipped one: below `high` the minimum keeps `high` where A < 0', async () => {
    const pushed = { ...doubled, advantage: [-1] };
    const { value } = await evaluated(named('grpo', { delta: 1.1 }), pushed);
    expect(value).toBeCloseTo(1.2, 6);
    expect((await evaluated(named('grpo', { delta: 1.1 }), doubled)).value).toBeCloseTo(-1.1, 6);
  });

  test('the ratio of a sequence is the geometric mean of its tokens’ ratios, 2 and 1/2 make 1', async () => {
    const both = { p: [Math.log(0.5), Math.log(0.25)], q: [Math.log(0.25), Math.log(0.5)] };
    const token = await evaluated(named('grpo'), both);
    expect(token.value).toBeCloseTo(-(1.2 + 0.5), 6);
    const sequence = await evaluated(named('grpo', { ratioLevel: 'sequence' }), both);
    expect(sequence.value).toBeCloseTo(-2, 6);
    // Two tokens of ratio 1, each of which moves the mean by half: (½ + ½) · −1 for both.
    expect(worstDifference(sequence.derivative, [-1, -1])).toBeLessThan(PUBLISHED);
  });
});

describe('ratios at their bounds and far beyond them', () => {
  const LOG_2 = Math.log(2);

  test.each([
    ['at the upper bound', { low: 0.5, high: 1 }],
    ['at the lower bound', { low: 1, high: 2 }],
  ])('%s the unclipped branch is the minimum still, for both signs of A', async (_, bounds) => {
    for (const advantage of [1, -1]) {
      for (const delta of [null, 1]) {
        const result = await evaluated(named('ppo', { bounds, delta }), { p: [-1], advantage: [advantage] });
        expect(result).toEqual({
          value: -advantage,
          gradient: [[-advantage]],
          derivative: [-advantage],
        });
      }
    }
  });

  /** ρ = e^±100, of which e^100 is beyond f32. */
  const risen = { p: [-0.5], q: [-100.5] };
  const fallen = { p: [-100.5], q: [-0.5] };

  test.each<[string, TokenLoss, Row, number, number]>([
    ['clipped above', named('ppo'), { ...risen, advantage: [1] }, -1.2, 0],
    ['without advantage', named('ppo'), { ...risen, advantage: [0] }, 0, 0],
    ['of importance sampling, without', named('importance_sampling'), { ...risen, advantage: [0] }, 0, 0],
    ['capped by δ', named('grpo', { delta: 4 }), { ...risen, advantage: [-1] }, 4, 0],
    ['of CISPO', named('cispo'), { ...risen, advantage: [-1] }, -0.6, 1.2],
    ['of a whole answer', named('grpo', { ratioLevel: 'sequence' }), { ...risen, advantage: [1] }, -1.2, 0],
    ['clipped below', named('ppo'), { ...fallen, advantage: [-1] }, 0.8, 0],
    ['fallen to nothing', named('ppo'), { ...fallen, advantage: [1] }, 0, 0],
    ['to the sampler', named('grpo', { importanceCap: 2 }), { p: [-1], sampler: [-101] }, -2, -2],
    ['of DRO', named('dro'), { ...risen, advantage: [1] }, 0.5 + 250, -1 + 5],
  ])('a ratio far off, %s, is a number', async (_, loss, row, value, derivative) => {
    const result = await evaluated(loss, row);
    expect(result.value).toBeCloseTo(value, 4);
    expect(result.derivative[0]).toBeCloseTo(derivative, 5);
  });

  test('where it counts in full it is too large for any update, of the right sign', async () => {
    for (const advantage of [1, -1]) {
      const { value, derivative } = await evaluated(named('importance_sampling'), {
        ...risen,
        advantage: [advantage],
      });
      for (const found of [value, derivative[0] ?? NaN]) {
        expect(Math.sign(found)).toBe(-advantage);
        expect(Number.isFinite(Math.fround(found))).toBe(true);
        expect(Math.fround(found ** 2)).toBe(Infinity);
      }
    }
  });

  test('k3 far above p pulls p up, as a number, and leaves its neighbours alone', async () => {
    const kl = { estimator: 'k3', beta: 0.5 } as const;
    const row = { p: [-100, -1], reference: [-0.5, -1 + LOG_2], advantage: [0, 0] };
    const { derivative } = await evaluated(named('grpo', { kl }), row);
    expect(derivative[0]).toBeLessThan(-1e30);
    expect(derivative[0]).toBeGreaterThan(-3e38);
    expect(derivative[1]).toBeCloseTo(0.5 * (1 - 2), 6);
  });
});

describe('truncated importance sampling, by hand', () => {
  test('p_old / q weighs a token, up to the cap, and leaves the KL penalty alone', async () => {
    const row = { p: [-1, -1], q: [-1, -1], sampler: [-1 - Math.log(1.5), -1 - Math.log(8)] };
    const plain = await evaluated(named('grpo', { importanceCap: 2 }), row);
    expect(plain.value).toBeCloseTo(-(1.5 + 2), 5);
    expect(worstDifference(plain.derivative, [-1.5, -2])).toBeLessThan(PUBLISHED);
    const kl = { estimator: 'k2', beta: 0.5 } as const;
    const penalized = await evaluated(named('grpo', { importanceCap: 2, kl }), {
      ...row,
      reference: [-2, -1],
    });
    expect(penalized.value - plain.value).toBeCloseTo(0.5 * 0.5, 5);
  });
});

/** Sequences on one row each, weighed as the reduction says. */
async function overSequences(
  loss: TokenLoss,
  reduction: Reduction,
  sequences: readonly { readonly logprobs: readonly number[]; readonly advantage: number }[],
  maxTokens = 1,
): Promise<number> {
  const length = Math.max(...sequences.map(({ logprobs }) => logprobs.length));
  const weightOf = weightsOfWhole(
    sequences.map(({ logprobs }) => ({ tokens: logprobs })),
    reduction,
    maxTokens,
  );
  const padded = (valuesOf: (sequence: (typeof sequences)[number], i: number) => readonly number[]) =>
    sequences.map((sequence, i) => {
      const values = valuesOf(sequence, i);
      return Array.from({ length }, (_, t) => values[t] ?? 0);
    });
  const logprob = padded(({ logprobs }) => logprobs);
  const { value } = await evaluatedLoss(loss, {
    logprob,
    oldLogprob: logprob,
    samplerLogprob: logprob,
    referenceLogprob: logprob,
    advantage: padded(({ logprobs, advantage }) => logprobs.map(() => advantage)),
    mask: padded(({ logprobs }) => logprobs.map(() => 1)),
    weights: padded(({ logprobs }, i) => logprobs.map(() => weightOf(i))),
  });
  return value;
}

describe('published examples of whole batches', () => {
  test('the moving-baseline REINFORCE of the Monarch system: −0.9791667', async () => {
    const value = await overSequences(named('reinforce'), reductionOf('reinforce', 'auto'), [
      { logprobs: [-0.5, -1, -0.25], advantage: 1 - 0.5 },
      { logprobs: [-2, -1], advantage: -1 - 0.5 },
    ]);
    expect(Math.abs(value - -0.9791667)).toBeLessThan(PUBLISHED);
  });

  test('the REINFORCE of simplexity RLVR, without baseline, summed over tokens: 1.04', async () => {
    const value = await overSequences(named('reinforce'), 'sequence_sum', [
      { logprobs: [-1.2, -0.3, -0.1], advantage: 1 },
      { logprobs: [-0.7, -0.9], advantage: 0.3 },
    ]);
    expect(value).toBeCloseTo(1.04, 6);
  });

  test.each([
    ['grpo', 0],
    ['bnpo', -0.1731751],
    ['dapo', -0.1731751],
    ['dr_grpo', -0.0541172],
  ] as const)('%s over completions of 2, 3, 1 and 4 tokens at ratio 1', async (name, expected) => {
    const rewards = [[1, 0, 0, 1]];
    const centred = centredAdvantages(rewards, { kind: 'group' });
    const [advantages = []] = scaledAdvantages(centred, rewards, 'group');
    const sequences = [2, 3, 1, 4].map((length, i) => ({
      logprobs: Array.from({ length }, () => -1),
      advantage: advantages[i] ?? NaN,
    }));
    const value = await overSequences(named(name), reductionOf(name, 'auto'), sequences, 8);
    expect(Math.abs(value - expected)).toBeLessThan(PUBLISHED);
  });

  test('at ratio 1 a sum of −ρ A is −Σ A · T, and the surrogate has the gradient of REINFORCE', async () => {
    const row = { p: [-0.3, -2, -1], advantage: [0.5, -1, 2], weight: [0.5, 0.3, 0.2] };
    const plain = await evaluated(named('reinforce'), row);
    expect(worstDifference(plain.derivative, [-0.25, 0.3, -0.4])).toBeLessThan(1e-7);
    for (const name of ['importance_sampling', 'ppo', 'grpo', 'cispo', 'dro'] as const)
      expect({ name, derivative: (await evaluated(named(name), row)).derivative }).toEqual({
        name,
        derivative: plain.derivative,
      });
    expect((await evaluated(named('ppo'), row)).value).toBeCloseTo(-(0.25 - 0.3 + 0.4), 6);
  });

  test('the supervised loss is the weighted negative log-likelihood', async () => {
    const { value, derivative } = await evaluated(negativeLogLikelihood, {
      p: [-1, -3],
      weight: [0.25, 0.75],
    });
    expect(value).toBeCloseTo(2.5, 6);
    expect(worstDifference(derivative, [-0.25, -0.75])).toBeLessThan(1e-7);
  });
});

describe('names', () => {
  test('all losses, and those that clip', () => {
    expect([...LOSS_NAMES].sort()).toEqual(
      [
        'reinforce',
        'importance_sampling',
        'ppo',
        'cispo',
        'dro',
        'grpo',
        'bnpo',
        'dr_grpo',
        'dapo',
        'luspo',
        'sapo',
        'vespo',
      ].sort(),
    );
    expect(lossesWhere(({ clips }) => clips !== null).sort()).toEqual([
      'bnpo',
      'cispo',
      'dapo',
      'dr_grpo',
      'grpo',
      'luspo',
      'ppo',
    ]);
  });

  test('reinforce is the named one', async () => {
    const row = { p: [-0.25, -3], advantage: [2, -1] };
    expect(await evaluated(named('reinforce'), row)).toEqual(await evaluated(reinforce, row));
  });
});
