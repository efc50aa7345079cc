/** The kernel's masses of rows against those of the sampler's own loops, which are the same to the bit. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import * as tf from '../../backend/tf.ts';
import { massOf } from '../../rollout/decoding/sampler.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { freshInputs } from '../testing/random.ts';
import { rowMasses, type RowMass } from './rowMasses.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

/** The bits of doubles. Zeros count as one: which of them is the largest changes no draw. */
const bitsOf = ({ best, max, among, total }: RowMass): readonly bigint[] => [
  ...new BigInt64Array(Float64Array.of(best, max, among, total).map((value) => value + 0).buffer),
];

const NO_MASS: RowMass = { best: NaN, max: NaN, among: NaN, total: NaN };

/** The rows of one length whose numbers are not those of the sampler, with both. */
function differing(rows: readonly Float32Array[], drawable: number, temperature: number): unknown[] {
  const vocab = rows[0]?.length ?? 0;
  const logits = tf.tensor2d(Float32Array.from(rows.flatMap((row) => [...row])), [rows.length, vocab]);
  const masses = rowMasses(logits, drawable, temperature);
  logits.dispose();
  if (!masses) throw new Error('These masses are computed on wasm.');
  return rows.flatMap((row, i) => {
    const expected = bitsOf(massOf(row, drawable, temperature));
    const found = bitsOf(masses[i] ?? NO_MASS);
    return `${found.join()}` === `${expected.join()}` ? [] : [{ i, found, expected }];
  });
}

test.each([
  [1, 1, 1],
  [3, 3, 0.3],
  [67, 60, 0.7],
  [1027, 1027, 1],
  [1030, 1001, 1.7],
])('%d logits, of which %d may be drawn, at T = %d', (vocab, drawable, temperature) => {
  const random = freshInputs();
  const rows = [0.1, 1, 20, 300, 3000].map((spread) => random.floats(vocab, spread));
  const { seed } = random;
  expect({ seed, differing: differing(rows, drawable, temperature) }).toEqual({ seed, differing: [] });
});

test('exponents at every border of the exponential, and where results are subnormal or 0', () => {
  const borders = [
    0,
    2 ** -29,
    2 ** -28,
    0.5 * Math.LN2,
    1.5 * Math.LN2,
    707.7,
    708.4,
    744.5,
    745.13,
    745.2,
    800,
  ];
  const around = borders.flatMap((x) => [x, x * (1 - 2 ** -23), x * (1 + 2 ** -23), x + 2 ** -20]);
  // Each row has the largest logit and one other, so that no sum hides a term.
  const rows = around.map((x) => Float32Array.of(0, -x));
  expect([...differing(rows, 2, 1), ...differing(rows, 1, 1)]).toEqual([]);
});

test('ties, zeros of both signs, and numbers that are not finite', () => {
  const rows = [
    [1, 5, 5, 2, 5],
    [-0, 0, -0, 0, -1],
    [-Infinity, 2, -Infinity, 1, 0],
  ].map((row) => Float32Array.from(row));
  expect(differing(rows, 5, 1)).toEqual([]);
  const broken = [
    [NaN, 1, 2],
    [1, NaN, 2],
    [1, Infinity, 2],
    [-Infinity, -Infinity, -Infinity],
  ];
  const masses = rowMasses(tf.tensor2d(broken), 3, 1);
  expect(masses?.map(({ total }) => Number.isFinite(total))).toEqual(broken.map(() => false));
});
