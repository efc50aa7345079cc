import { describe, expect, it } from 'vitest';
import { stepMetricsWith } from '../../testing/stepMetrics.ts';
import { defaultConfig } from '../../settings/presets/presets.ts';
import type { RunConfig } from '../../settings/schema/schema.ts';
import { KL_LINE, klCause } from './klCause.ts';

const PLAIN: RunConfig = {
  ...defaultConfig('sum_digits'),
  generatorPrecision: 'f32',
  samplerNoise: 0,
  generatorAdapter: 'beside',
  generatorProducts: 'exact',
  cachePrecision: 'f32',
  loraRank: 0,
  topP: 1,
  topK: 0,
  minP: 0,
  repetitionPenalty: 1,
  temperature: 1,
  schedule: 'sync',
  maxStepsOffPolicy: 3,
  numSubsteps: 1,
  ppoEpochs: 1,
  miniBatchSize: 0,
  learningRate: 1e-3,
  targetKl: 0,
};

/** A step of one update on answers of its own weights. */
const onPolicy = { updates: 1, policyAgeMax: 0, policyAgeMean: 0 };
const single = (v1: number, v2: number, rest = {}) =>
  stepMetricsWith({
    ...onPolicy,
    klSampleTrainV1: v1,
    klSampleTrainV2: v2,
    klFirstUpdateV1: v1,
    klFirstUpdateV2: v2,
    ...rest,
  });

describe('nothing is said', () => {
  it('without steps, within the line, at the line, or where nothing was measured', () => {
    expect(KL_LINE).toBe(0.01);
    expect(klCause([], PLAIN)).toBeNull();
    expect(klCause([single(-0.009, 0.0099)], PLAIN)).toBeNull();
    expect(klCause([single(0.01, 0.01)], PLAIN)).toBeNull();
    expect(klCause([stepMetricsWith()], PLAIN)).toBeNull();
  });

  it('once the latest step is within the line again', () => {
    expect(klCause([single(0.2, 0.3), single(0, 0)], PLAIN)).toBeNull();
  });
});

describe('a mismatch of generators and trainer', () => {
  it('is named with 16 bit weights, by v2 or by the size of v1 alone', () => {
    for (const step of [single(0.001, 0.02), single(-0.02, 0.005), single(0.02, 0.005)]) {
      const cause = klCause([step], { ...PLAIN, generatorPrecision: 'f16' });
      expect(cause?.kind).toBe('mismatch');
      expect(cause?.text).toContain('precision to 32 bit');
      expect(cause?.text).not.toContain('other backend');
    }
  });

  it('is named with noise in the generators', () => {
    const cause = klCause([single(0.02, 0.02)], { ...PLAIN, samplerNoise: 1.5 });
    expect(cause?.text).toContain('noise of 1.5: set it to 0');
    expect(cause?.text).not.toContain('other backend');
  });

  it('is named with an adapter that was merged in 16 bit, where there is one', () => {
    const settings = { ...PLAIN, generatorAdapter: 'merged' } as const;
    const cause = klCause([single(0.02, 0.02)], { ...settings, loraRank: 8 });
    expect(cause?.text).toContain('keep it beside the base');
    expect(klCause([single(0.02, 0.02)], settings)?.text).toContain('other backend');
  });

  it('is named with products that round, of whole numbers where there is a frozen base', () => {
    const settings = { ...PLAIN, generatorProducts: 'int8' } as const;
    for (const rounding of [{ ...settings, loraRank: 8 }, { ...PLAIN, generatorProducts: 'f16' } as const]) {
      const cause = klCause([single(0.02, 0.02)], rounding);
      expect(cause?.text).toContain('let their products be exact');
      expect(cause?.text).not.toContain('other backend');
    }
    expect(klCause([single(0.02, 0.02)], settings)?.text).toContain('other backend');
  });

  it('is named with keys and values in 16 bit', () => {
    const cause = klCause([single(0.02, 0.02)], { ...PLAIN, cachePrecision: 'f16' });
    expect(cause?.text).toContain('keep them in 32 bit');
    expect(cause?.text).not.toContain('other backend');
  });

  it('says the numbers found and the line', () => {
    const text = klCause([single(-0.0123456, 0.0345678, { step: 12 })], PLAIN)?.text;
    expect(text).toContain('Step 12: v1 -0.0123, v2 0.0346');
    expect(text).toContain('0.01.');
  });

  it('names filters and a low temperature where they are set', () => {
    const text = klCause([single(0, 0.02)], { ...PLAIN, topP: 0.9, topK: 20, temperature: 0.25 })?.text;
    expect(text).toContain('top-p 0.9, top-k 20');
    expect(text).toContain('4 times');
    const plain = klCause([single(0, 0.02)], PLAIN)?.text;
    expect(plain).not.toContain('top-p');
    expect(plain).toContain('other backend');
  });

  it('stays the cause with old answers where it was there on-policy already', () => {
    const old = single(0.03, 0.03, { policyAgeMax: 2, policyAgeMean: 1.5 });
    const settings = { ...PLAIN, schedule: 'async', generatorPrecision: 'f16' } as const;
    expect(klCause([single(0.02, 0.02), old], settings)?.kind).toBe('mismatch');
    expect(klCause([single(0.002, 0.002), old], settings)?.kind).toBe('staleness');
  });
});

describe('old answers', () => {
  it('are named with their age and the bound that lets them in', () => {
    const cause = klCause([single(0.04, 0.03, { policyAgeMax: 3, policyAgeMean: 1.75 })], {
      ...PLAIN,
      schedule: 'async',
    });
    expect(cause?.kind).toBe('staleness');
    expect(cause?.text).toContain('up to 3 steps behind (1.75 on average)');
    expect(cause?.text).toContain('fewer steps behind than 3');
  });
});

describe('too many or too large updates', () => {
  const step = (first: number, later: number, rest = {}) =>
    stepMetricsWith({
      ...onPolicy,
      updates: 4,
      klSampleTrainV1: 0.001,
      klSampleTrainV2: (first + later) / 2,
      klFirstUpdateV1: 0,
      klFirstUpdateV2: first,
      klLaterUpdatesV1: 0.002,
      klLaterUpdatesV2: later,
      ...rest,
    });

  it('are named where the first update was within the line', () => {
    const cause = klCause([step(1e-9, 0.05)], { ...PLAIN, numSubsteps: 4, learningRate: 0.003 });
    expect(cause?.kind).toBe('updates');
    expect(cause?.text).toContain('fewer updates per batch than 4');
    expect(cause?.text).toContain('0.003');
    expect(cause?.text).toContain('Stop updates beyond KL');
    expect(cause?.text).not.toContain('passes');
  });

  it('name passes and mini-batches where those are set, and no early stop that is there already', () => {
    const text = klCause([step(0, 0.05)], { ...PLAIN, ppoEpochs: 2, miniBatchSize: 8, targetKl: 0.02 })?.text;
    expect(text).toContain('fewer passes over a batch than 2');
    expect(text).toContain('more than 8 answers');
    expect(text).not.toContain('Stop updates');
  });

  it('weigh against old answers: the greater part is the cause', () => {
    const old = { policyAgeMax: 2, policyAgeMean: 2 };
    const settings = { ...PLAIN, schedule: 'async', numSubsteps: 4 } as const;
    expect(klCause([step(0.02, 0.1, old)], settings)?.kind).toBe('updates');
    expect(klCause([step(0.02, 0.03, old)], settings)?.kind).toBe('staleness');
    expect(klCause([step(0.02, 0.03)], { ...settings, schedule: 'sync' })?.kind).toBe('mismatch');
  });
});
