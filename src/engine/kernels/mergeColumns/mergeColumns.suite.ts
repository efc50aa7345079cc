import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { gemmReference, inRows, transposed } from '../testing/reference.ts';
import { mergeColumns } from './mergeColumns.ts';

const GUARD = 64;

/** The nearest half, in float64: 11 binary digits, at least the unit 2⁻²⁴, ties to even. */
function nearestHalf(value: number): number {
  if (value === 0) return value;
  const unit = 2 ** Math.max(Math.floor(Math.log2(Math.abs(value))) - 10, -24);
  const whole = Math.floor(value / unit);
  const rest = value / unit - whole;
  const up = rest > 0.5 || (rest === 0.5 && whole % 2 !== 0);
  const rounded = (whole + (up ? 1 : 0)) * unit;
  return Math.abs(rounded) > 65504 ? Math.sign(value) * Infinity : rounded;
}

/** Whole and partial vectors, columns that begin and end anywhere, parts of the rows, all ranks that tiles treat apart. */
const CASES = [
  { rows: 1, width: 1, column: 0, columns: 1, inner: 1, parts: [1] },
  { rows: 7, width: 23, column: 5, columns: 11, inner: 17, parts: [7] },
  { rows: 70, width: 36, column: 12, columns: 24, inner: 8, parts: [36, 34] },
  { rows: 12, width: 352, column: 0, columns: 352, inner: 3, parts: [4, 8] },
  { rows: 9, width: 40, column: 8, columns: 20, inner: 5, parts: [2, 6, 1] },
] as const;

export function mergeColumnsSuite(): void {
  describe('mergeColumns', () => {
    for (const { rows, width, column, columns, inner, parts } of CASES) {
      test(`${rows} x ${inner} x ${columns} from column ${column} of ${width}, in ${parts.length}: base and product, from the base each time`, async () => {
        const random = freshInputs();
        const base = random.floats(rows * width);
        const left = random.floats(rows * inner);
        const right = random.floats(inner * columns);
        const before = random.floats(2 * GUARD + rows * width);
        const scale = 1.75;
        const product = gemmReference(
          { m: rows, n: columns, k: inner },
          transposed(inRows(left, rows)),
          inRows(right, columns),
        );
        const expected = Float64Array.from(before);
        product.forEach((value, i) => {
          const at = Math.floor(i / columns) * width + column + (i % columns);
          expected[GUARD + at] = (base[at] ?? NaN) + scale * value;
        });
        const tensor = tf.tensor1d(before);
        const merged = { tensor, offset: GUARD, shape: [rows, width] };
        const factors = {
          left: tf.tensor2d(left, [inner, rows]),
          right: tf.tensor2d(right, [inner, columns]),
        };
        const merge = (factor: number): void => {
          let firstRow = 0;
          for (const count of parts) {
            const part = base.slice(firstRow * width, (firstRow + count) * width);
            const from = tf.tensor2d(part, [count, width]);
            mergeColumns(merged, from, firstRow, { ...factors, column, scale: factor });
            from.dispose();
            firstRow += count;
          }
        };
        merge(scale);
        expect(await difference('merged', tensor, expected, 2e-6, random.seed)).toBeNull();
        const once = tf.tensor1d(await tensor.data<'float32'>());
        for (const factor of [-3, 0, scale]) merge(factor);
        expect(await bitDifference('merged again', tensor, once, random.seed)).toBeNull();
      });
    }

    test('a result that is rounded is the nearest half, ties to even', async () => {
      const random = freshInputs();
      const special = [0, 65504, 65519, 65520, -65536, 2 ** -24, 2 ** -25, 1.5 * 2 ** -25];
      const ties = [1, 3, 5, 1023, 1025, 2047].flatMap((odd) => [odd * 2 ** -25, -odd * 2 ** -13, odd / 64]);
      const scattered = random.floats(401).map((value, i) => value * 2 ** ((i % 50) - 30));
      const values = Float32Array.from([...special, ...ties, ...scattered]);
      for (const width of [1, values.length - (values.length % 4)]) {
        const rows = Math.floor(values.length / width);
        const base = tf.tensor2d(values.subarray(0, rows * width), [rows, width]);
        const merged = { tensor: tf.zeros([rows * width]), offset: 0, shape: [rows, width] };
        const nothing = { left: tf.zeros([1, rows]), right: tf.zeros([1, width]), column: 0, scale: 1 };
        mergeColumns(merged, base, 0, { ...nothing, rounded: true });
        // −0 is 0.
        const found = Array.from(await merged.tensor.data<'float32'>(), (value) => value + 0);
        const expected = Array.from(values.subarray(0, rows * width), (value) => nearestHalf(value) + 0);
        expect({ seed: random.seed, found }).toEqual({ seed: random.seed, found: expected });
      }
    });

    test('shapes that do not fit are refused with all of them', () => {
      const merged = { tensor: tf.zeros([12]), offset: 0, shape: [3, 4] };
      const product = { left: tf.zeros([2, 3]), right: tf.zeros([2, 3]), column: 2, scale: 1 };
      expect(() => mergeColumns(merged, tf.zeros([3, 4]), 0, product)).toThrow(
        /\[2, 3\]ᵀ · \[2, 3\] from column 2.*\[3, 4\]/,
      );
      const shifted = { ...product, column: 0 };
      expect(() => mergeColumns(merged, tf.zeros([3, 4]), 1, shifted)).toThrow('from row 1');
    });
  });
}
