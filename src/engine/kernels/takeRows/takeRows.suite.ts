import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { takeRows } from './takeRows.ts';

export function takeRowsSuite(): void {
  describe('takeRows', () => {
    for (const [count, taken, width] of [
      [1, 1, 1],
      [9, 40, 6],
      [70, 130, 8],
      [33, 65, 7],
    ] as const) {
      test(`${taken} of ${count} rows, width ${width}, in any order and with zeros between`, async () => {
        const random = freshInputs();
        const x = random.floats(count * width);
        const rows = random.ints(taken, count + 1).map((row) => row - 1);
        // Runs of rows that follow each other, to the last one and beyond the end of what is taken.
        for (let i = taken >> 1; i < taken; i++) rows[i] = Math.min(count - 1, i - (taken >> 1));
        const y = takeRows(tf.tensor2d(x, [count, width]), tf.tensor1d(rows, 'int32'));
        const expected = Float64Array.from({ length: taken * width }, (_, i) => {
          const row = rows[Math.floor(i / width)] ?? NaN;
          return row < 0 ? 0 : (x[row * width + (i % width)] ?? NaN);
        });
        expect(y.shape).toEqual([taken, width]);
        expect(await difference('rows', y, expected, 0, random.seed)).toBeNull();
      });
    }
  });
}
