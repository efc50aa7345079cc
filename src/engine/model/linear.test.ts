/** The outputs of low-rank pairs as one op, against the same of products and a concatenation, and against sums in float64. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { bitDifference, difference } from '../kernels/testing/compare.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import type { LowRankPair } from './adapter.ts';
import { composedLowRankGradient, composedLowRankOutput, lowRankGradient, lowRankOutput } from './linear.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

const [INPUTS, RANK, COLUMNS] = [20, 5, 60];
/** The columns of each pair; those from 11 to 16 and from 33 on have none. */
const PAIRS = [
  { column: 0, width: 11 },
  { column: 17, width: 16 },
];
const ROOM = 256;

const pairsIn = (tensor: tf.Tensor): LowRankPair[] =>
  PAIRS.map(({ column, width }, i) => ({
    a: { tensor, offset: 2 * i * ROOM, shape: [INPUTS, RANK] },
    b: { tensor, offset: (2 * i + 1) * ROOM, shape: [RANK, width] },
    column,
  }));

const CASES = [
  [1, null],
  [1, 0.3],
  [13, null],
  [13, 2],
] as const;

test.each(CASES)('%i rows, a factor of %j', async (rows, factor) => {
  const random = freshInputs();
  const values = random.floats(2 * PAIRS.length * ROOM);
  const tensor = tf.tensor1d(values);
  const pairs = pairsIn(tensor);
  const x = random.floats(rows * INPUTS);
  const expected = new Float64Array(rows * COLUMNS);
  for (const [i, { column, width }] of PAIRS.entries())
    for (let row = 0; row < rows; row++)
      for (let at = 0; at < width; at++)
        for (let r = 0; r < RANK; r++)
          for (let k = 0; k < INPUTS; k++) {
            const a = values[2 * i * ROOM + k * RANK + r] ?? NaN;
            const b = values[(2 * i + 1) * ROOM + r * width + at] ?? NaN;
            const place = row * COLUMNS + column + at;
            expected[place] = (expected[place] ?? NaN) + (factor ?? 1) * (x[row * INPUTS + k] ?? NaN) * a * b;
          }
  const tensors = tf.memory().numTensors;
  const input = tf.tensor2d(x, [rows, INPUTS]);
  const parts = { pairs, scale: factor === null ? null : tf.scalar(factor) };
  const output = lowRankOutput(input, parts, COLUMNS);
  const composed = composedLowRankOutput(input, parts, COLUMNS);
  const residual = tf.tensor2d(random.floats(rows * COLUMNS), [rows, COLUMNS]);
  const added = lowRankOutput(input, parts, COLUMNS, residual);
  const composedSum = tf.add(composed, residual);
  expect(await bitDifference('with a residual', added, composedSum, random.seed)).toBeNull();
  expect(await difference('output', output, expected, 1e-5, random.seed)).toBeNull();
  expect(await bitDifference('output', output, composed, random.seed)).toBeNull();
  tf.dispose(
    [input, output, composed, residual, added, composedSum, parts.scale].flatMap((held) => held ?? []),
  );
  expect(tf.memory().numTensors).toBe(tensors);
});

test.each(CASES)('gradients of %i rows, a factor of %j', async (rows, factor) => {
  const random = freshInputs();
  const values = random.floats(2 * PAIRS.length * ROOM);
  const [x, dy, before] = [INPUTS, COLUMNS, INPUTS].map((width) => random.floats(rows * width)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const sums = new Float64Array(values.length);
  const ofX = Float64Array.from(before);
  const plus = (to: Float64Array, at: number, value: number): void => void (to[at] = (to[at] ?? NaN) + value);
  const at = (from: Float32Array, place: number): number => from[place] ?? NaN;
  for (const [i, { column, width }] of PAIRS.entries())
    for (let row = 0; row < rows; row++)
      for (let j = 0; j < width; j++)
        for (let r = 0; r < RANK; r++)
          for (let k = 0; k < INPUTS; k++) {
            const [atA, atB] = [2 * i * ROOM + k * RANK + r, (2 * i + 1) * ROOM + r * width + j];
            const slope = (factor ?? 1) * at(dy, row * COLUMNS + column + j);
            plus(sums, atA, slope * at(x, row * INPUTS + k) * at(values, atB));
            plus(sums, atB, slope * at(x, row * INPUTS + k) * at(values, atA));
            plus(ofX, row * INPUTS + k, slope * at(values, atA) * at(values, atB));
          }
  const parts = { pairs: pairsIn(tf.tensor1d(values)), scale: factor === null ? null : tf.scalar(factor) };
  for (const [name, gradient] of [
    ['one op', lowRankGradient],
    ['products', composedLowRankGradient],
  ] as const) {
    const [input, output] = [tf.tensor2d(x, [rows, INPUTS]), tf.tensor2d(dy, [rows, COLUMNS])];
    const target = tf.zeros([values.length]);
    const dx = gradient(input, output, parts, pairsIn(target), tf.tensor2d(before, [rows, INPUTS]));
    expect(await difference(`${name}: sums`, target, sums, 1e-5, random.seed)).toBeNull();
    expect(await difference(`${name}: dx`, dx, ofX, 1e-5, random.seed)).toBeNull();
  }
});

test('fewer sums than there are pairs are refused', () => {
  const pairs = pairsIn(tf.zeros([2 * PAIRS.length * ROOM]));
  const [x, dy] = [tf.zeros<tf.Rank.R2>([1, INPUTS]), tf.zeros<tf.Rank.R2>([1, COLUMNS])];
  expect(() => lowRankGradient(x, dy, { pairs, scale: null }, pairs.slice(1), x)).toThrow(
    'There are 1 sums for the gradients of 2 pairs.',
  );
});
