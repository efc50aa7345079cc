/** The outputs of low-rank pairs as one op, against the same of products and a concatenation, and against sums in float64. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { bitDifference, difference } from '../kernels/testing/compare.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { composedLowRankOutput, lowRankOutput } from './linear.ts';

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

test.each([
  [1, null],
  [1, 0.3],
  [13, null],
  [13, 2],
] as const)('%i rows, a factor of %j', async (rows, factor) => {
  const random = freshInputs();
  const values = random.floats(2 * PAIRS.length * ROOM);
  const tensor = tf.tensor1d(values);
  const slice = (place: number, shape: number[]) => ({ tensor, offset: place * ROOM, shape });
  const pairs = PAIRS.map(({ column, width }, i) => ({
    a: slice(2 * i, [INPUTS, RANK]),
    b: slice(2 * i + 1, [RANK, width]),
    column,
  }));
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
  expect(await difference('output', output, expected, 1e-5, random.seed)).toBeNull();
  expect(await bitDifference('output', output, composed, random.seed)).toBeNull();
  tf.dispose([input, output, composed, parts.scale].flatMap((held) => held ?? []));
  expect(tf.memory().numTensors).toBe(tensors);
});
