import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference, bitDifference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { squaredNorm } from './squaredNorm.ts';

export function squaredNormSuite(): void {
  describe('squaredNorm', () => {
    for (const size of [1, 300, 8193, 50_001]) {
      test(`${size} elements, the same to the bit twice`, async () => {
        const random = freshInputs();
        const values = random.floats(size);
        const x = tf.tensor1d(values);
        const exact = Float64Array.of(values.reduce((sum, value) => sum + value * value, 0));
        const first = squaredNorm(x);
        expect(await difference('squaredNorm', first, exact, 1e-6, random.seed)).toBeNull();
        expect(await bitDifference('squaredNorm, twice', first, squaredNorm(x), random.seed)).toBeNull();
      });
    }
  });
}
