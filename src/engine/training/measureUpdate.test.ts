import { describe, expect, test } from 'vitest';
import type { Sequence } from '../loss/sequence.ts';
import { measureUpdate, oldLogprobsOf } from './batchTrainer.ts';

/** Ratios 2, 1 and ½ to the old policy; log q is 0.1 above log p everywhere. */
const LOGPROBS = [-1, -1, -1];
const sequence = (advantages: number[], changes: Partial<Sequence> = {}): Sequence => ({
  promptIds: [1],
  tokens: [2, 3, 4],
  samplerLogprobs: [-0.9, -0.9, -0.9],
  oldLogprobs: [-1 - Math.log(2), -1, -1 + Math.log(2)],
  advantages,
  ...changes,
});
const BOUNDS = { low: 0.8, high: 1.2 };
const TOKENS = { clip: BOUNDS, ratioLevel: 'token' } as const;

describe('measureUpdate', () => {
  test('counts a ratio above the bounds where A > 0 and below them where A < 0, and nothing where A is 0', () => {
    const measure = (advantages: number[]) => {
      const { clippedLow, clippedHigh, tokens } = measureUpdate(
        [sequence(advantages)],
        [LOGPROBS],
        TOKENS,
        false,
      );
      return [clippedLow * tokens, clippedHigh * tokens];
    };
    expect(measure([1, 1, 1])).toEqual([0, 1]);
    expect(measure([-1, -1, -1])).toEqual([1, 0]);
    expect(measure([1, 1, -1])).toEqual([1, 1]);
    expect(measure([-1, 1, 1])).toEqual([0, 0]);
    expect(measure([0, 0, 0])).toEqual([0, 0]);
  });

  test('takes log q − log p and half its square as means over tokens, whatever p_old is', () => {
    const other = sequence([1, 1, 1], { samplerLogprobs: [-1, -1, -1.5] });
    const found = measureUpdate([sequence([1, 1, 1]), other], [LOGPROBS, LOGPROBS], TOKENS, false);
    expect(found.tokens).toBe(6);
    expect(found.klSampleTrainV1).toBeCloseTo((3 * 0.1 - 0.5) / 6, 12);
    expect(found.klSampleTrainV2).toBeCloseTo((0.5 * (3 * 0.01 + 0.25)) / 6, 12);
  });

  test('finds the greatest difference, and tokens without one in f32', () => {
    // 0.1 is no number of f32: a difference beyond its last bit does not count.
    const policy = Float32Array.of(-0.1, -0.2, -1.5);
    const drawn = sequence([1, 1, 1], { samplerLogprobs: [-0.1, -0.2 - 1e-12, -1.25] });
    const worse = sequence([1, 1, 1], { samplerLogprobs: [-0.1, -0.2, -2] });
    const found = measureUpdate([drawn, worse], [policy, policy], TOKENS, false);
    expect(found.greatestGap).toBe(0.5);
    expect(found.exactTokens).toBe(4);
    const masked = measureUpdate([drawn, { ...worse, masked: true }], [policy, policy], TOKENS, false);
    expect([masked.greatestGap, masked.exactTokens, masked.tokens]).toEqual([0.25, 2, 3]);
  });

  test('the Tinker cookbook’s definitions on three tokens: −0.1 and 0.0583333', () => {
    const three = sequence([1, 1, -0.5], { samplerLogprobs: [-1, -0.5, -2] });
    const found = measureUpdate([three], [[-0.9, -0.8, -1.5]], TOKENS, false);
    expect(found.klSampleTrainV1).toBeCloseTo(-0.1, 12);
    expect(found.klSampleTrainV2).toBeCloseTo(0.0583333, 7);
  });

  test('leaves masked sequences out', () => {
    const masked = sequence([1, 1, 1], { masked: true, samplerLogprobs: [9, 9, 9] });
    const alone = measureUpdate([sequence([1, 1, 1])], [LOGPROBS], TOKENS, false);
    expect(measureUpdate([masked, sequence([1, 1, 1])], [LOGPROBS, LOGPROBS], TOKENS, false)).toEqual(alone);
    expect(measureUpdate([masked], [LOGPROBS], TOKENS, false)).toEqual({
      klSampleTrainV1: 0,
      klSampleTrainV2: 0,
      greatestGap: 0,
      exactTokens: 0,
      clippedLow: 0,
      clippedHigh: 0,
      tokens: 0,
    });
  });

  test('a ratio of the whole answer clips all of its tokens or none', () => {
    const whole = { clip: BOUNDS, ratioLevel: 'sequence' } as const;
    // The geometric mean of 2, 1 and ½ is 1.
    expect(measureUpdate([sequence([1, 1, 1])], [LOGPROBS], whole, false).clippedHigh).toBe(0);
    const moved = sequence([1, 1, 1], { oldLogprobs: [-1 - Math.log(2), -1, -1] });
    // That of 2, 1 and 1 is 1.26.
    expect(measureUpdate([moved], [LOGPROBS], whole, false).clippedHigh).toBe(1);
  });

  test('nothing is clipped by a loss without clipping, nor where the ratio is to p itself', () => {
    const without = { clip: null, ratioLevel: 'token' } as const;
    expect(measureUpdate([sequence([1, 1, -1])], [LOGPROBS], without, false)).toMatchObject({
      clippedLow: 0,
      clippedHigh: 0,
    });
    expect(measureUpdate([sequence([1, 1, -1])], [LOGPROBS], TOKENS, true)).toMatchObject({
      clippedLow: 0,
      clippedHigh: 0,
    });
  });
});

test('p_old is p itself, else what was recorded, else the sampler’s', () => {
  const recorded = sequence([1, 1, 1]);
  expect(oldLogprobsOf(recorded, LOGPROBS, true)).toBe(LOGPROBS);
  expect(oldLogprobsOf(recorded, LOGPROBS, false)).toBe(recorded.oldLogprobs);
  const plain: Sequence = { promptIds: [1], tokens: [2], samplerLogprobs: [-3], advantages: [0] };
  expect(oldLogprobsOf(plain, LOGPROBS, false)).toEqual([-3]);
});
