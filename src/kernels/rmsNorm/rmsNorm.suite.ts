import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems, bitDifference } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { rmsNormReference } from '../checks/reference.ts';
import { rmsNorm } from './rmsNorm.ts';

export function rmsNormSuite(): void {
  describe('rmsNorm', () => {
    for (const [rows, width] of [
      [1, 4],
      [3, 7],
      [131, 37],
      [2, 300],
    ] as const) {
      test(`${rows} x ${width}`, async () => {
        const random = freshInputs();
        const epsilon = 1e-3;
        expect(
          await opProblems(random, {
            what: 'rmsNorm',
            inputs: [
              { name: 'x', shape: [rows, width], values: random.floats(rows * width, 0.5) },
              { name: 'gamma', shape: [width], values: random.floats(width) },
            ],
            reference: (x = new Float64Array(), gamma = new Float64Array()) => [
              rmsNormReference(x, gamma, epsilon),
            ],
            op: (x, gamma) => [rmsNorm(x as tf.Tensor, gamma as tf.Tensor, epsilon)],
            valueTolerance: 1e-5,
            gradientTolerance: 1e-5,
          }),
        ).toEqual([]);
      });
    }

    test('a row is the same to the bit alone and among 9', async () => {
      const random = freshInputs();
      const x = tf.tensor2d(random.floats(9 * 100), [9, 100]);
      const gamma = tf.tensor1d(random.floats(100));
      const alone = rmsNorm(tf.slice(x, [5, 0], [1, -1]), gamma, 1e-6);
      expect(
        await bitDifference(
          'rmsNorm',
          alone,
          tf.slice(rmsNorm(x, gamma, 1e-6), [5, 0], [1, -1]),
          random.seed,
        ),
      ).toBeNull();
    });
  });
}
