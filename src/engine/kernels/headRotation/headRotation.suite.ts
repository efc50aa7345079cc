import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, opProblems } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { rmsNormReference, ropeReference } from '../testing/reference.ts';
import { rotateHeads, rotateHeadsGradient, type HeadNorms, type Rotation } from './headRotation.ts';
import type { Slice } from '../shared/slice.ts';

const MAX_POSITIONS = 50;
const EPSILON = 1e-5;
const GUARD = 64;

interface Case {
  readonly rows: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly normed: boolean;
  readonly shift?: number;
}

function rotationOf(positions: Int32Array, frequencies: readonly number[]): Rotation {
  const angles = Array.from({ length: MAX_POSITIONS }, (_, position) =>
    frequencies.map((frequency) => position * frequency),
  );
  return {
    positions: tf.tensor1d(positions, 'int32'),
    cosines: tf.tensor2d(angles.map((row) => row.map(Math.cos))),
    sines: tf.tensor2d(angles.map((row) => row.map(Math.sin))),
  };
}

/** Columns `first` to `end` of a row-major matrix. */
function columns(values: Float64Array, width: number, first: number, end: number): Float64Array {
  const rows = values.length / width;
  const part = new Float64Array(rows * (end - first));
  for (let row = 0; row < rows; row++)
    part.set(values.subarray(row * width + first, row * width + end), row * (end - first));
  return part;
}

function reference(
  qkv: Float64Array,
  norms: readonly Float64Array[],
  { rows, heads, kvHeads, headDim, shift }: Case,
  positions: Int32Array,
  frequencies: readonly number[],
): Float64Array {
  const width = (heads + 2 * kvHeads) * headDim;
  const [queries, keys] = [heads * headDim, kvHeads * headDim];
  const turned = (values: Float64Array, norm: Float64Array | undefined) =>
    ropeReference(norm ? rmsNormReference(values, norm, EPSILON, shift) : values, positions, frequencies);
  const q = turned(columns(qkv, width, 0, queries), norms[0]);
  const k = turned(columns(qkv, width, queries, queries + keys), norms[1]);
  const result = qkv.slice();
  for (let row = 0; row < rows; row++) {
    result.set(q.subarray(row * queries, (row + 1) * queries), row * width);
    result.set(k.subarray(row * keys, (row + 1) * keys), row * width + queries);
  }
  return result;
}

/** A vector in the middle of a pool. */
function inPool(values: tf.Tensor): Slice {
  const [size = 0] = values.shape;
  return { tensor: tf.pad(values as tf.Tensor1D, [[GUARD, 3]]), offset: GUARD, shape: [size] };
}

/** The op with its explicit gradient, as something to differentiate. */
function differentiable(shape: Case & { epsilon: number }, rotation: Rotation) {
  return tf.customGrad((...args) => {
    const save = args.pop() as unknown as tf.GradSaveFunc;
    const [qkv, query, key] = args as tf.Tensor[];
    if (!qkv) throw new Error('The rows are missing.');
    const norms: HeadNorms<Slice> | null = query && key ? { query: inPool(query), key: inPool(key) } : null;
    save([qkv, ...(norms ? [norms.query.tensor, norms.key.tensor] : [])]);
    const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]) => {
      const size = GUARD + shape.headDim + 3;
      const target = (): Slice => ({ tensor: tf.ones([size]), offset: GUARD, shape: [shape.headDim] });
      const gradients = { query: target(), key: target() };
      const whole = (tensor: tf.Tensor): Slice => ({ tensor, offset: GUARD, shape: [shape.headDim] });
      const [x, savedQuery, savedKey] = saved as [tf.Tensor, tf.Tensor?, tf.Tensor?];
      const dx = rotateHeadsGradient(
        { qkv: x, dy },
        rotation,
        savedQuery && savedKey ? { query: whole(savedQuery), key: whole(savedKey), gradients } : null,
        shape,
      );
      // What was there before is added to, and only within the slice.
      const added = ({ tensor }: Slice): tf.Tensor => {
        const difference = tf.sub(tensor, 1) as tf.Tensor1D;
        const outside = tf.add(
          tf.sum(tf.abs(tf.slice(difference, 0, GUARD))),
          tf.sum(tf.abs(tf.slice(difference, GUARD + shape.headDim))),
        );
        // Any change beside the slice spoils the result.
        return tf.add(tf.slice(difference, GUARD, shape.headDim), tf.mul(outside, 1e6));
      };
      return savedQuery ? [dx, added(gradients.query), added(gradients.key)] : [dx];
    };
    return { value: rotateHeads(qkv, rotation, norms, shape), gradFunc };
  });
}

/** `every`: all shapes, or one odd shape of each variant. */
export function headRotationSuite(every = true): void {
  describe('rotateHeads', () => {
    for (const [normed, shift] of [
      [false, 0],
      [true, 0],
      [true, 1],
    ] as const) {
      for (const [rows, heads, kvHeads, headDim] of [
        [1, 1, 1, 2],
        [13, 3, 3, 6],
        [70, 4, 2, 16],
        [131, 2, 1, 8],
      ] as const) {
        if (!every && headDim !== 6) continue;
        test(`${rows} rows, ${heads} heads on ${kvHeads} of ${headDim}${normed ? `, normed by γ + ${shift}` : ''}`, async () => {
          const random = freshInputs();
          const shape = { rows, heads, kvHeads, headDim, normed, shift, epsilon: EPSILON };
          const width = (heads + 2 * kvHeads) * headDim;
          const frequencies = Array.from({ length: headDim / 2 }, (_, i) => 100 ** ((-2 * i) / headDim));
          const positions = random.ints(rows, MAX_POSITIONS);
          const run = differentiable(shape, rotationOf(positions, frequencies));
          const vector = (name: string) => ({ name, shape: [headDim], values: random.floats(headDim) });
          expect(
            await opProblems(random, {
              what: 'rotateHeads',
              inputs: [
                { name: 'qkv', shape: [rows, width], values: random.floats(rows * width) },
                ...(normed ? [vector('queryNorm'), vector('keyNorm')] : []),
              ],
              reference: (qkv = new Float64Array(), ...norms) => [
                reference(qkv, norms, shape, positions, frequencies),
              ],
              op: (...inputs) => [run(...inputs)],
              valueTolerance: 2e-6,
              gradientTolerance: 1e-5,
            }),
          ).toEqual([]);
        });
      }
    }

    test('frozen scales: the same gradient of the rows to the bit', async () => {
      const random = freshInputs();
      const shape = { heads: 3, kvHeads: 1, headDim: 16, epsilon: EPSILON };
      const [qkv, dy] = [0, 1].map(() => tf.tensor2d(random.floats(70 * 80), [70, 80])) as [
        tf.Tensor,
        tf.Tensor,
      ];
      const frequencies = Array.from({ length: 8 }, (_, i) => 0.5 ** i);
      const rotation = rotationOf(random.ints(70, MAX_POSITIONS), frequencies);
      const vector = () => inPool(tf.tensor1d(random.floats(16)));
      const norms = { query: vector(), key: vector() };
      const [trained, frozen] = [{ query: vector(), key: vector() }, null].map((gradients) =>
        rotateHeadsGradient({ qkv, dy }, rotation, { ...norms, gradients }, shape),
      ) as [tf.Tensor, tf.Tensor];
      expect(await bitDifference('d qkv', frozen, trained, random.seed)).toBeNull();
    });

    test('a row is the same to the bit alone and among 70', async () => {
      const random = freshInputs();
      const shape = { heads: 3, kvHeads: 1, headDim: 16, epsilon: EPSILON };
      const qkv = tf.tensor2d(random.floats(70 * 80), [70, 80]);
      const positions = random.ints(70, MAX_POSITIONS);
      const frequencies = Array.from({ length: 8 }, (_, i) => 0.5 ** i);
      const norms = { query: tf.tensor1d(random.floats(16)), key: tf.tensor1d(random.floats(16)) };
      const all = rotateHeads(qkv, rotationOf(positions, frequencies), norms, shape);
      const alone = rotateHeads(
        tf.slice(qkv, [37, 0], [1, -1]),
        rotationOf(positions.slice(37, 38), frequencies),
        norms,
        shape,
      );
      expect(await bitDifference('row', alone, tf.slice(all, [37, 0], [1, -1]), random.seed)).toBeNull();
    });

    test('a quarter turn, by hand: (1, 2) becomes (−2, 1), and values stay', async () => {
      const rotation = {
        positions: tf.tensor1d([1], 'int32'),
        cosines: tf.tensor2d([[1], [0]]),
        sines: tf.tensor2d([[0], [1]]),
      };
      const shape = { heads: 1, kvHeads: 1, headDim: 2, epsilon: EPSILON };
      const turned = rotateHeads(tf.tensor2d([[1, 2, 3, 4, 5, 6]]), rotation, null, shape);
      expect([...(await turned.data())]).toEqual([-2, 1, -4, 3, 5, 6]);
    });
  });
}
