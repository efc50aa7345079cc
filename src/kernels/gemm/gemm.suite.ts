import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems, bitDifference } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { gemmReference } from '../checks/reference.ts';
import { gemm } from './gemm.ts';
import type { GemmLayout } from './shape.ts';

const SHAPES = [
  { m: 1, n: 1, k: 1 },
  { m: 3, n: 5, k: 2 },
  { m: 33, n: 17, k: 65 },
  { m: 5, n: 12, k: 8 },
  { m: 36, n: 64, k: 33 },
  { m: 70, n: 130, k: 31 },
  { m: 8, n: 36, k: 2052 },
];

export function gemmSuite(): void {
  describe('gemm', () => {
    for (const layout of ['nn', 'nt', 'tn'] as const) {
      for (const { m, n, k } of SHAPES) {
        test(`${layout} ${m} x ${n} x ${k}`, async () => {
          const random = freshInputs();
          const a = random.floats(m * k);
          const b = random.floats(k * n);
          expect(
            await opProblems(random, {
              what: `gemm ${layout}`,
              inputs: [
                { name: 'a', shape: layout === 'tn' ? [k, m] : [m, k], values: a },
                { name: 'b', shape: layout === 'nt' ? [n, k] : [k, n], values: b },
              ],
              reference: (left, right) => [
                gemmReference({ m, n, k }, ...readers(layout, m, n, k, left, right)),
              ],
              op: (left, right) => [gemm(left as tf.Tensor, right as tf.Tensor, layout)],
              valueTolerance: 1e-5,
              gradientTolerance: 1e-5,
            }),
          ).toEqual([]);
        });
      }
    }

    test('a row of A · Bᵀ and of A · B is the same to the bit alone and among 70', async () => {
      const random = freshInputs();
      const a = tf.tensor2d(random.floats(70 * 100), [70, 100]);
      for (const [layout, n] of [
        ['nn', 45],
        ['nn', 48],
        ['nt', 45],
      ] as const) {
        const b = tf.tensor2d(random.floats(100 * n), layout === 'nn' ? [100, n] : [n, 100]);
        const among = tf.slice(gemm(a, b, layout), [37, 0], [1, -1]);
        const alone = gemm(tf.slice(a, [37, 0], [1, -1]), b, layout);
        expect(await bitDifference(`gemm ${layout}`, alone, among, random.seed)).toBeNull();
      }
    });

    test('inner sizes that differ are refused with both shapes', () => {
      expect(() => gemm(tf.zeros([2, 3]), tf.zeros([4, 5]), 'nn')).toThrow(/\[2, 3\].*\[4, 5\]/);
    });
  });
}

function readers(
  layout: GemmLayout,
  m: number,
  n: number,
  k: number,
  a: Float64Array,
  b: Float64Array,
): [(row: number, inner: number) => number, (inner: number, column: number) => number] {
  return [
    (row, inner) => a[layout === 'tn' ? inner * m + row : row * k + inner] ?? NaN,
    (inner, column) => b[layout === 'nt' ? column * k + inner : inner * n + column] ?? NaN,
  ];
}
