import { describe, expect, test } from 'vitest';
import { freshInputs } from '../testing/random.ts';
import { dequantizeRows, quantizeRows } from './quantize.ts';

/** The table that bitsandbytes documents, in full. */
const TABLE = [
  -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
  -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
];

const largest = (values: Float32Array): number => Math.max(...values.map(Math.abs));

describe('q8', () => {
  test('whole numbers and scales are those worked out in float64, also of a group that is not full', () => {
    const random = freshInputs();
    const values = random.floats(32 * 7 + 12, 0.02);
    const { words, scales } = quantizeRows('q8', values);
    expect([words.length, scales.length]).toEqual([236, 8]);
    const numbers = new Int8Array(words.buffer);
    const back = dequantizeRows('q8', { words, scales }, values.length);
    values.forEach((value, i) => {
      const group = Math.floor(i / 32);
      const scale = Math.fround(largest(values.subarray(32 * group, 32 * group + 32)) / 127);
      expect(scales[group], `seed ${random.seed}`).toBe(scale);
      // The nearest whole number is at most half a step away.
      expect(Math.abs((numbers[i] ?? NaN) - value / scale), `seed ${random.seed}`).toBeLessThanOrEqual(0.5);
      expect(back[i]).toBe(Math.fround((numbers[i] ?? NaN) * scale));
    });
  });

  test('by hand', () => {
    const values = new Float32Array(32);
    values.set([1, -2.54, 0.02, 0.031]);
    const { words, scales } = quantizeRows('q8', values);
    expect(scales).toEqual(Float32Array.of(0.02));
    expect([...new Int8Array(words.buffer)].slice(0, 5)).toEqual([50, -127, 1, 2, 0]);
  });
});

describe('q4', () => {
  test('each level is the nearest of all sixteen, the scale the largest magnitude', () => {
    const random = freshInputs();
    const values = random.floats(64 * 5 + 20, 0.02);
    const { words, scales } = quantizeRows('q4', values);
    expect([words.length, scales.length]).toEqual([172, 6]);
    const back = dequantizeRows('q4', { words, scales }, values.length);
    values.forEach((value, i) => {
      const group = Math.floor(i / 64);
      const scale = largest(values.subarray(64 * group, 64 * group + 64));
      expect(scales[group], `seed ${random.seed}`).toBe(scale);
      const level = ((words[i >> 1] ?? 0) >> (4 * (i % 2))) & 15;
      const distances = TABLE.map((entry) => Math.abs(entry - value / scale));
      expect(distances[level], `seed ${random.seed}`).toBe(Math.min(...distances));
      expect(back[i]).toBe(Math.fround((TABLE[level] ?? NaN) * scale));
    });
  });

  test('levels keep themselves, the first of a pair in the lower half of its byte', () => {
    const values = Float32Array.from([...TABLE, ...TABLE, ...TABLE, ...TABLE], (level) => 3 * level);
    const { words, scales } = quantizeRows('q4', values);
    expect(scales).toEqual(Float32Array.of(3));
    expect([...words.subarray(0, 8)]).toEqual([0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe]);
    expect(dequantizeRows('q4', { words, scales })).toEqual(values);
  });
});

test('a group of zeros stays zeros', () => {
  for (const format of ['q8', 'q4'] as const) {
    expect(dequantizeRows(format, quantizeRows(format, new Float32Array(64)))).toEqual(new Float32Array(64));
  }
});

test('what is not finite is refused with its place', () => {
  expect(() => quantizeRows('q8', Float32Array.of(1, NaN))).toThrow('Element 1 is NaN');
  expect(() => quantizeRows('q4', Float32Array.of(1, 2, -Infinity))).toThrow('Element 2 is -Infinity');
});
