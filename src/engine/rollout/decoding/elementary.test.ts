/** Elementary functions: right, and the same everywhere. */
import { expect, test } from 'vitest';
import { exp, log, log1p } from './elementary.ts';
import { avalanche32, drawsFor } from '@rl-playground/base/random';

const DRAWS = 50_000;

/** The distance of `value` from `right` in units of the last place of `right`. */
function units(value: number, right: number): number {
  if (Object.is(value, right)) return 0;
  const bits = new Float64Array([Math.abs(right)]);
  const next = new BigInt64Array(bits.buffer);
  next[0] = (next[0] ?? 0n) + 1n;
  return Math.abs(value - right) / ((bits[0] ?? 0) - Math.abs(right));
}

const FUNCTIONS = [
  ['exp', exp, Math.exp, (u: number, v: number) => (u - 0.5) * 2 ** Math.floor(11 * v), 'b3bfa66f'],
  ['log', log, Math.log, (u: number, v: number) => u * 2 ** Math.floor(200 * v - 100), 'cf6080f3'],
  [
    'log near 1',
    log,
    Math.log,
    (u: number, v: number) => 1 + (u - 0.5) * 2 ** -Math.floor(20 * v),
    'f9c35ea8',
  ],
  ['log of the smallest', log, Math.log, (u: number) => u * 2 ** -1040, '5b59c019'],
  ['log1p', log1p, Math.log1p, (u: number, v: number) => -u * 2 ** -Math.floor(60 * v * v), '7c68a9c6'],
] as const;

test.each(FUNCTIONS)(
  '%s is the engine’s within a unit or two of the last place, and to the bit what it is elsewhere',
  (_, ours, theirs, argument, fingerprint) => {
    const draw = drawsFor(1);
    const results = new Float64Array(DRAWS);
    let furthest = 0;
    for (let i = 0; i < DRAWS; i++) {
      const x = argument(draw(), draw());
      results[i] = ours(x);
      furthest = Math.max(furthest, units(ours(x), theirs(x)));
    }
    expect(furthest).toBeLessThanOrEqual(2);
    let hash = 0;
    for (const word of new Uint32Array(results.buffer)) hash = avalanche32(hash ^ word);
    expect(hash.toString(16)).toBe(fingerprint);
  },
);

// By mpmath with 40 digits, rounded once.
test.each([
  [exp, -1, 0.36787944117144233],
  [exp, -20.5, 1.2501528663867426e-9],
  [exp, -0.25, 0.7788007830714049],
  [log, 2, 0.6931471805599453],
  [log, 0.1, -2.3025850929940455],
  [log1p, -0.5, -0.6931471805599453],
  [log1p, -1e-10, -1.00000000005e-10],
])('a value by hand: %o of %f', (ours, x, right) => {
  expect(units(ours(x), right)).toBeLessThanOrEqual(1);
});

test.each([
  [exp, 0, 1],
  [exp, -746, 0],
  [exp, Number.NEGATIVE_INFINITY, 0],
  [exp, 710, Number.POSITIVE_INFINITY],
  [exp, Number.NaN, Number.NaN],
  [log, 1, 0],
  [log, 0, Number.NEGATIVE_INFINITY],
  [log, -1, Number.NaN],
  [log, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  [log1p, 0, 0],
  [log1p, -1, Number.NEGATIVE_INFINITY],
  [log1p, -2, Number.NaN],
])('an end of the range: %o of %f', (ours, x, right) => {
  expect(ours(x)).toBe(right);
});
