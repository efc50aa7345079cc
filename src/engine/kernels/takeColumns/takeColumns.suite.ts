import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { takeColumns } from './takeColumns.ts';

export function takeColumnsSuite(): void {
  describe('takeColumns', () => {
    // Pieces of four, two and one.
    for (const [rows, width, first, count] of [
      [1, 1, 0, 1],
      [70, 24, 8, 16],
      [9, 12, 2, 8],
      [33, 7, 3, 4],
    ] as const) {
      test(`${count} of ${width} columns from ${first} on, of ${rows} rows`, async () => {
        const random = freshInputs();
        const x = random.floats(rows * width);
        const y = takeColumns(tf.tensor2d(x, [rows, width]), first, count);
        const expected = Float64Array.from(
          { length: rows * count },
          (_, i) => x[Math.floor(i / count) * width + first + (i % count)] ?? NaN,
        );
        expect(y.shape).toEqual([rows, count]);
        expect(await difference('columns', y, expected, 0, random.seed)).toBeNull();
      });
    }

    test('columns that are not there are refused', () => {
      expect(() => takeColumns(tf.zeros([2, 5]), 3, 3)).toThrow('columns 3 to 5; there are 0 to 4');
    });
  });
}
