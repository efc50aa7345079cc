import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference, bitDifference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { embedding, embeddingGradient } from './embedding.ts';

const GUARD = 64;

export function embeddingSuite(): void {
  describe('embedding', () => {
    test('looks rows up', async () => {
      const random = freshInputs();
      const table = random.floats(11 * 5);
      const ids = random.ints(70, 11);
      const y = embedding(tf.tensor2d(table, [11, 5]), tf.tensor1d(ids, 'int32'));
      const expected = Float64Array.from(
        { length: 350 },
        (_, i) => table[(ids[Math.floor(i / 5)] ?? 0) * 5 + (i % 5)] ?? NaN,
      );
      expect(await difference('embedding', y, expected, 0, random.seed)).toBeNull();
    });

    test('looks rows up in a part of a tensor', async () => {
      const random = freshInputs();
      const pool = random.floats(GUARD + 12);
      const table = { tensor: tf.tensor1d(pool), offset: GUARD, shape: [4, 3] };
      const y = embedding(table, tf.tensor1d([3, 0], 'int32'));
      const expected = Float64Array.from([9, 10, 11, 0, 1, 2], (i) => pool[GUARD + i] ?? NaN);
      expect(await difference('embedding', y, expected, 0, random.seed)).toBeNull();
    });

    for (const [rows, vocab, width] of [
      [1, 1, 1],
      [150, 9, 70],
      [40, 300, 3],
    ] as const) {
      test(`gradient of ${rows} rows in a vocabulary of ${vocab}, width ${width}`, async () => {
        const random = freshInputs();
        const ids = random.ints(rows, vocab);
        const dy = random.floats(rows * width);
        const before = random.floats(GUARD + vocab * width + 5);
        const expected = Float64Array.from(before);
        dy.forEach((value, i) => {
          const at = GUARD + (ids[Math.floor(i / width)] ?? 0) * width + (i % width);
          expected[at] = (expected[at] ?? 0) + value;
        });
        const run = (): tf.Tensor => {
          const tensor = tf.tensor1d(before);
          const target = { tensor, offset: GUARD, shape: [vocab, width] };
          embeddingGradient(tf.tensor2d(dy, [rows, width]), tf.tensor1d(ids, 'int32'), target);
          return tensor;
        };
        const first = run();
        expect(await difference('embedding gradient', first, expected, 1e-5, random.seed)).toBeNull();
        expect(await bitDifference('embedding gradient, twice', first, run(), random.seed)).toBeNull();
      });
    }
  });
}
