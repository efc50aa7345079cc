import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { sumCopies } from './sumCopies.ts';

export function sumCopiesSuite(): void {
  describe('sumCopies', () => {
    for (const width of [1, 6, 8]) {
      test(`sums of one row, of several at a distance, and of none, width ${width}`, async () => {
        const random = freshInputs();
        const x = random.floats(21 * width);
        const [first, copies] = [Int32Array.of(0, 20, -1, 2, 13, 6), Int32Array.of(3, 1, 0, 2, 2, 1)];
        const y = sumCopies(tf.tensor2d(x, [21, width]), tf.tensor1d(first), tf.tensor1d(copies), 7);
        const terms = [[0, 7, 14], [20], [], [2, 9], [13, 20], [6]];
        const expected = terms.flatMap((rows) =>
          Array.from({ length: width }, (_, column) =>
            rows.reduce((sum, row) => Math.fround(sum + (x[row * width + column] ?? NaN)), 0),
          ),
        );
        expect(y.shape).toEqual([6, width]);
        expect(await difference('sums', y, Float64Array.from(expected), 0, random.seed)).toBeNull();
      });
    }
  });
}
