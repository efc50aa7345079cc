import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference, opProblems } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { rmsNormReference } from '../testing/reference.ts';
import { rmsNorm, rmsNormGradient } from './rmsNorm.ts';

const GUARD = 64;

/** `every`: all shapes, or one odd shape of each variant. */
export function rmsNormSuite(every = true): void {
  describe('rmsNorm', () => {
    for (const [rows, width, shift = 0] of [
      [1, 4],
      [3, 7],
      [131, 37],
      [2, 300],
      [5, 36, 1],
      [40, 300, 1],
    ] as const) {
      if (!every && width !== 37 && width !== 300) continue;
      test(`${rows} x ${width}${shift === 0 ? '' : `, γ + ${shift}`}`, async () => {
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
              rmsNormReference(x, gamma, epsilon, shift),
            ],
            op: (x, gamma) => [rmsNorm(x as tf.Tensor, gamma as tf.Tensor, epsilon, shift)],
            valueTolerance: 1e-5,
            gradientTolerance: 1e-5,
          }),
        ).toEqual([]);
      });
    }

    for (const [rows, width] of [
      [1, 4],
      [70, 7],
      [131, 64],
    ] as const) {
      if (!every && width !== 7) continue;
      test(`gradient of ${rows} x ${width} with γ in a pool: dγ is added to its slice, the residual to dx`, async () => {
        const random = freshInputs();
        const [epsilon, size] = [1e-3, GUARD + width + 3];
        const pool = { scales: random.floats(size), before: random.floats(size) };
        const [x, dy, residual] = [0, 1, 2].map(() =>
          tf.tensor2d(random.floats(rows * width), [rows, width]),
        ) as [tf.Tensor, tf.Tensor, tf.Tensor];
        const scales = tf.tensor1d(pool.scales);
        const gamma = { tensor: scales, offset: GUARD, shape: [width] };
        const whole = tf.slice(scales, GUARD, width);
        const [plain, dgamma] = tf.grads((input: tf.Tensor, scale: tf.Tensor) =>
          rmsNorm(input, scale, epsilon),
        )([x, whole], dy) as [tf.Tensor, tf.Tensor];
        const sums = tf.tensor1d(pool.before);
        const target = { tensor: sums, offset: GUARD, shape: [width] };
        const dx = rmsNormGradient({ x, gamma, dy, residual }, epsilon, target);
        const frozen = rmsNormGradient({ x, gamma, dy, residual }, epsilon, null);
        expect(await bitDifference('dx where γ is frozen', frozen, dx, random.seed)).toBeNull();
        const expected = Float64Array.from(pool.before);
        (await dgamma.data()).forEach(
          (value, i) => (expected[GUARD + i] = (expected[GUARD + i] ?? NaN) + value),
        );
        expect(await difference('dγ', sums, expected, 1e-6, random.seed)).toBeNull();
        const both = Float64Array.from(await tf.add(plain, residual).data());
        expect(await difference('dx', dx, both, 1e-6, random.seed)).toBeNull();
        expect(
          await bitDifference('y', rmsNorm(x, gamma, epsilon), rmsNorm(x, whole, epsilon), random.seed),
        ).toBeNull();
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
