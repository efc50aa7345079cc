import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems, bitDifference, difference } from '../testing/compare.ts';
import { freshInputs, type RandomInputs } from '../testing/random.ts';
import { gemmReference, inRows, transposed, type Placed } from '../testing/reference.ts';
import type { Operand } from '../shared/slice.ts';
import { gemm, gemmInto } from './gemm.ts';
import type { GemmLayout, GemmShape } from './shape.ts';

const SHAPES: readonly GemmShape[] = [
  { m: 1, n: 1, k: 1 },
  { m: 3, n: 5, k: 2 },
  { m: 33, n: 17, k: 65 },
  { m: 5, n: 12, k: 8 },
  { m: 36, n: 64, k: 33 },
  { m: 70, n: 130, k: 11 },
  // Few elements: the reference takes each of the 2,052 steps again for every difference that it makes a gradient of.
  { m: 3, n: 12, k: 2052 },
];
/** The shapes of slices. */
const SLICED: readonly GemmShape[] = [
  { m: 1, n: 40, k: 7 },
  { m: 5, n: 13, k: 300 },
  { m: 263, n: 24, k: 17 },
  { m: 64, n: 352, k: 64 },
];
/** Where not every shape is asked for: a lone element, of each list what is odd throughout, one that is whole vectors, and long sums. */
const FEW: ReadonlySet<number> = new Set([1, 65, 2052, 300, 64]);

/** `every`: all shapes, or a few of them. */
export function gemmSuite(every = true): void {
  describe('gemm', () => {
    for (const layout of ['nn', 'nt', 'tn'] as const) {
      for (const { m, n, k } of SHAPES.filter((shape) => every || FEW.has(shape.k))) {
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
                gemmReference({ m, n, k }, ...placed(layout, { m, n, k }, left, right)),
              ],
              op: (left, right) => [gemm(left as tf.Tensor, right as tf.Tensor, layout)],
              valueTolerance: 1e-5,
              gradientTolerance: 1e-5,
            }),
          ).toEqual([]);
        });
      }
    }

    for (const layout of ['nn', 'nt', 'tn'] as const) {
      for (const { m, n, k } of SLICED.filter((shape) => every || FEW.has(shape.k))) {
        test(`${layout} ${m} x ${n} x ${k} of slices with bias and residual`, async () => {
          const random = freshInputs();
          const { a, b, product } = operands(random, layout, { m, n, k });
          const bias = random.floats(n);
          const residual = random.floats(m * n);
          const epilogue = {
            bias: slice(random, bias, [n], 192),
            residual: tf.tensor2d(residual, [m, n]),
          };
          const sum = (i: number, withBias: boolean) =>
            (product[i] ?? NaN) + (withBias ? (bias[i % n] ?? NaN) : 0) + (residual[i] ?? NaN);
          const check = async (what: string, actual: tf.Tensor, value: (i: number) => number) =>
            expect(
              await difference(
                `${what} ${layout}`,
                actual,
                product.map((_, i) => value(i)),
                1e-5,
                random.seed,
              ),
            ).toBeNull();
          await check('both', gemm(a, b, layout, epilogue), (i) => sum(i, true));
          await check('residual', gemm(a, b, layout, { residual: epilogue.residual }), (i) => sum(i, false));
          const biased = gemm(a, b, layout, { bias: epilogue.bias });
          await check('bias', biased, (i) => sum(i, true) - (residual[i] ?? NaN));
        });

        test(`${layout} ${m} x ${n} x ${k} is added to a slice and to nothing around it`, async () => {
          const random = freshInputs();
          const { a, b, product } = operands(random, layout, { m, n, k });
          const before = random.floats(m * n);
          const target = slice(random, before, [m, n], 128);
          const expected = Float64Array.from(await target.tensor.data());
          product.forEach((value, i) => (expected[128 + i] = 2 * value + (before[i] ?? NaN)));
          gemmInto(target, a, b, layout);
          gemmInto(target, a, b, layout);
          expect(
            await difference(`gemmInto ${layout}`, target.tensor, expected, 1e-5, random.seed),
          ).toBeNull();
          const around = (values: ArrayLike<number>) =>
            Array.from(values).filter((_, i) => i < 128 || i >= 128 + m * n);
          expect(around(await target.tensor.data())).toEqual(around(expected));
        });
      }
    }

    test('a row of A · Bᵀ and of A · B is the same to the bit alone and among 70', async () => {
      const random = freshInputs();
      for (const [layout, n, k] of [
        ['nn', 45, 300],
        ['nn', 48, 300],
        ['nn', 45, 38],
        ['nt', 45, 300],
      ] as const) {
        const a = tf.tensor2d(random.floats(70 * k), [70, k]);
        const b = tf.tensor2d(random.floats(k * n), layout === 'nn' ? [k, n] : [n, k]);
        const all = gemm(a, b, layout);
        for (const [from, count] of [
          [37, 1],
          [5, 2],
          [66, 4],
          [9, 21],
        ] as const) {
          const among = tf.slice(all, [from, 0], [count, -1]);
          const alone = gemm(tf.slice(a, [from, 0], [count, -1]), b, layout);
          expect(await bitDifference(`gemm ${layout}`, alone, among, random.seed)).toBeNull();
        }
      }
    });

    test('inner sizes that differ are refused with both shapes', () => {
      expect(() => gemm(tf.zeros([2, 3]), tf.zeros([4, 5]), 'nn')).toThrow(/\[2, 3\].*\[4, 5\]/);
    });
  });
}

/** `values` inside a tensor of random ones. */
function slice(random: RandomInputs, values: Float32Array, shape: number[], offset: number) {
  const whole = random.floats(offset + values.length + 70);
  whole.set(values, offset);
  return { tensor: tf.tensor1d(whole), offset, shape };
}

/** Random operands, A a slice and B whole or the other way round, and their exact product. */
function operands(random: RandomInputs, layout: GemmLayout, { m, n, k }: GemmShape) {
  const left = random.floats(m * k);
  const right = random.floats(k * n);
  const aShape: [number, number] = layout === 'tn' ? [k, m] : [m, k];
  const bShape: [number, number] = layout === 'nt' ? [n, k] : [k, n];
  const [a, b]: [Operand, Operand] =
    random.seed % 2 === 0
      ? [slice(random, left, aShape, 64), tf.tensor2d(right, bShape)]
      : [tf.tensor2d(left, aShape), slice(random, right, bShape, 320)];
  return { a, b, product: gemmReference({ m, n, k }, ...placed(layout, { m, n, k }, left, right)) };
}

/** Both operands as they lie in memory. */
const placed = (
  layout: GemmLayout,
  { m, n, k }: GemmShape,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): [Placed, Placed] => [
  layout === 'tn' ? transposed(inRows(a, m)) : inRows(a, k),
  layout === 'nt' ? transposed(inRows(b, k)) : inRows(b, n),
];
