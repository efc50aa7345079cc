import { expect, test } from 'vitest';
import { PastWeights } from './pastWeights.ts';

/** Three of these are more than may be kept. */
const large = (value: number): Float32Array => new Float32Array(3 * 2 ** 20).fill(value);

test('past weights are copies, and the oldest make room', () => {
  const past = new PastWeights();
  const packed = Float32Array.of(1, 2);
  past.keep(1, packed);
  packed.fill(0);
  expect(past.of(1)).toEqual(Float32Array.of(1, 2));
  past.keep(2, large(2));
  past.keep(3, large(3));
  expect([1, 2, 3].map((version) => past.of(version) !== null)).toEqual([true, true, true]);
  past.keep(4, large(4));
  expect([1, 2, 3, 4].map((version) => past.of(version)?.[0] ?? null)).toEqual([null, null, 3, 4]);
  // Given again, as to new generators, it is counted once.
  for (let again = 0; again < 3; again++) past.keep(4, large(5));
  expect([3, 4].map((version) => past.of(version)?.[0] ?? null)).toEqual([3, 5]);
  past.keep(5, new Float32Array(9 * 2 ** 20));
  expect([3, 4, 5].map((version) => past.of(version)?.[0] ?? null)).toEqual([3, 5, null]);
});

test('what was kept since is given once, in order, as far as it is still here', () => {
  const past = new PastWeights();
  past.keep(1, Float32Array.of(1));
  past.keep(2, Float32Array.of(2));
  expect(past.takeFresh()).toEqual({ version: 1, packed: Float32Array.of(1) });
  past.keep(3, large(3));
  past.keep(4, large(4));
  past.keep(5, large(5));
  // The third made room for the fifth, and the second for the fourth and fifth.
  expect([past.takeFresh()?.version, past.takeFresh()?.version, past.takeFresh()]).toEqual([4, 5, null]);
  past.keep(4, Float32Array.of(6));
  expect(past.takeFresh()).toEqual({ version: 4, packed: Float32Array.of(6) });
});
