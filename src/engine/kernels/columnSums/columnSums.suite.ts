import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { addColumnSums } from './columnSums.ts';

const GUARD = 64;

export function columnSumsSuite(): void {
  describe('addColumnSums', () => {
    for (const [rows, width] of [
      [1, 1],
      [70, 7],
      [2049, 52],
      [130, 352],
    ] as const) {
      test(`${rows} x ${width} is added to its slice and to nothing else, the same to the bit twice`, async () => {
        const random = freshInputs();
        const values = random.floats(rows * width);
        const before = random.floats(2 * GUARD + width);
        const dy = tf.tensor2d(values, [rows, width]);
        const sums = Float64Array.from(before);
        values.forEach(
          (value, i) => (sums[GUARD + (i % width)] = (sums[GUARD + (i % width)] ?? NaN) + value),
        );
        const run = (): tf.Tensor => {
          const tensor = tf.tensor1d(before);
          addColumnSums({ tensor, offset: GUARD, shape: [width] }, dy);
          return tensor;
        };
        const result = run();
        expect(await difference('sums', result, sums, 1e-5, random.seed)).toBeNull();
        expect(await bitDifference('sums, twice', run(), result, random.seed)).toBeNull();
      });
    }
  });
}
