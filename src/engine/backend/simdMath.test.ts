/** Exponential and logarithm of the SIMD kernels against float64, over the whole range of floats. */
import { beforeAll, expect, test } from 'vitest';
import { wasmPathInNode } from '../testing/wasm.ts';
import { hostMemory } from './host.ts';
import { startBackend } from './start.ts';
import * as tf from './tf.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const UNITS_ALLOWED = 2;
const SMALLEST_NORMAL = 2 ** -126;

async function apply(kernel: 'exponentials' | 'logarithms', values: Float32Array): Promise<Float32Array> {
  const memory = hostMemory(tf.backend());
  const x = tf.tensor1d(values);
  const y = tf.zeros(x.shape);
  memory.call(kernel, 0, values.length, memory.pointer(x), memory.pointer(y));
  return (await y.data()) as Float32Array;
}

/** Distance in units of the last place of the float nearest to `exact`. */
function units(actual: number, exact: number): number {
  if (Object.is(Math.fround(exact), actual)) return 0;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(exact))), -126);
  return Math.abs(actual - exact) / 2 ** (exponent - 23);
}

function worst(actual: Float32Array, values: Float32Array, exact: (x: number) => number) {
  let result = { units: 0, x: 0, actual: 0 };
  values.forEach((x, i) => {
    const value = actual[i] ?? NaN;
    const distance = units(value, exact(x));
    if (!(distance <= result.units)) result = { units: distance, x, actual: value };
  });
  return result;
}

test('exponentials of every magnitude are within two units; subnormal results are zero', async () => {
  // Within two units of the smallest normal number either side of it may come out: flushed to zero, or not.
  const atTheEdge = (x: number) => Math.abs(Math.exp(x) / SMALLEST_NORMAL - 1) <= UNITS_ALLOWED * 2 ** -23;
  const values = Float32Array.from({ length: 200_003 }, () => (Math.random() - 0.5) * 180).filter(
    (x) => !atTheEdge(x),
  );
  const flushed = (x: number) => (Math.exp(x) < SMALLEST_NORMAL ? 0 : Math.exp(x));
  expect(worst(await apply('exponentials', values), values, flushed).units).toBeLessThan(UNITS_ALLOWED);
});

test('exponentials at the edges', async () => {
  const values = Float32Array.of(
    0,
    -0,
    -Infinity,
    Infinity,
    NaN,
    -1e9,
    1e9,
    88.7228,
    88.7229,
    -87.3365,
    -87.34,
    -103,
    // The two floats around ln(1.18e-38).
    -87.33654022216797,
    -87.3365478515625,
  );
  const actual = await apply('exponentials', values);
  expect([...actual.subarray(0, 7)]).toEqual([1, 1, 0, Infinity, NaN, 0, Infinity]);
  expect(units(actual[7] ?? NaN, Math.exp(values[7] ?? NaN))).toBeLessThan(UNITS_ALLOWED);
  expect(actual[8]).toBe(Infinity);
  expect(units(actual[9] ?? NaN, Math.exp(values[9] ?? NaN))).toBeLessThan(UNITS_ALLOWED);
  expect([...actual.subarray(10, 12)]).toEqual([0, 0]);
  expect(units(actual[12] ?? NaN, Math.exp(values[12] ?? NaN))).toBeLessThan(UNITS_ALLOWED);
  expect(actual[13]).toBe(0);
});

test('logarithms of every magnitude are within two units', async () => {
  const wide = Float32Array.from({ length: 100_001 }, () => 2 ** ((Math.random() - 0.5) * 290));
  const positive = wide.filter((x) => x > 0 && x < Infinity);
  const near = Float32Array.from({ length: 100_001 }, () => 1 + (Math.random() - 0.5) / 4);
  expect(worst(await apply('logarithms', positive), positive, Math.log).units).toBeLessThan(UNITS_ALLOWED);
  expect(worst(await apply('logarithms', near), near, Math.log).units).toBeLessThan(UNITS_ALLOWED);
});

test('logarithms at the edges', async () => {
  const values = Float32Array.of(1, 0, -0, -1, Infinity, NaN, -Infinity);
  expect([...(await apply('logarithms', values))]).toEqual([
    0,
    -Infinity,
    -Infinity,
    NaN,
    Infinity,
    NaN,
    NaN,
  ]);
});
