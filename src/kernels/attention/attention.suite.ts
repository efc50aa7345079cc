import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { opProblems, bitDifference } from '../checks/compare.ts';
import { freshInputs } from '../checks/random.ts';
import { attendReference } from '../checks/reference.ts';
import { causalAttention } from './attention.ts';
import type { AttentionAttributes } from './attributes.ts';

function reference(
  { batch, length, heads, kvHeads, headDim }: AttentionAttributes,
  q: Float64Array,
  k: Float64Array,
  v: Float64Array,
): Float64Array {
  const output = new Float64Array(q.length);
  const vector = (rows: Float64Array, row: number, head: number, headCount: number) =>
    rows.subarray((row * headCount + head) * headDim, (row * headCount + head + 1) * headDim);
  for (let b = 0; b < batch; b++) {
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor(head / (heads / kvHeads));
      for (let t = 0; t < length; t++) {
        const row = b * length + t;
        const past = Array.from({ length: t + 1 }, (_, j) => b * length + j);
        const attended = attendReference(
          vector(q, row, head, heads),
          past.map((j) => vector(k, j, kvHead, kvHeads)),
          past.map((j) => vector(v, j, kvHead, kvHeads)),
        );
        output.set(attended, (row * heads + head) * headDim);
      }
    }
  }
  return output;
}

const CASES: readonly AttentionAttributes[] = [
  { batch: 1, length: 1, heads: 1, kvHeads: 1, headDim: 2 },
  { batch: 2, length: 7, heads: 4, kvHeads: 2, headDim: 6 },
  { batch: 3, length: 5, heads: 3, kvHeads: 1, headDim: 5 },
  { batch: 1, length: 70, heads: 2, kvHeads: 2, headDim: 16 },
  { batch: 2, length: 9, heads: 6, kvHeads: 2, headDim: 64 },
  { batch: 1, length: 4, heads: 2, kvHeads: 1, headDim: 128 },
];

export function attentionSuite(): void {
  describe('causalAttention', () => {
    for (const attributes of CASES) {
      const { batch, length, heads, kvHeads, headDim } = attributes;
      test(`${batch} x ${length}, ${heads} heads on ${kvHeads}, size ${headDim}`, async () => {
        const random = freshInputs();
        const rows = batch * length;
        const matrix = (name: string, width: number) => ({
          name,
          shape: [rows, width],
          values: random.floats(rows * width, 1.5),
        });
        expect(
          await opProblems(random, {
            what: 'causalAttention',
            inputs: [
              matrix('q', heads * headDim),
              matrix('k', kvHeads * headDim),
              matrix('v', kvHeads * headDim),
            ],
            reference: (...inputs) => [
              reference(attributes, ...(inputs as [Float64Array, Float64Array, Float64Array])),
            ],
            op: (...inputs) => [
              causalAttention(...(inputs as [tf.Tensor, tf.Tensor, tf.Tensor]), attributes),
            ],
            valueTolerance: 1e-5,
            gradientTolerance: 2e-5,
          }),
        ).toEqual([]);
      });
    }

    test('rows before position 5 do not feel the padding after it, and no sequence its neighbours', async () => {
      const random = freshInputs();
      const attributes = { batch: 3, length: 9, heads: 2, kvHeads: 1, headDim: 8 };
      const [q, k, v] = [16, 8, 8].map((width) => tf.tensor2d(random.floats(27 * width), [27, width])) as [
        tf.Tensor2D,
        tf.Tensor2D,
        tf.Tensor2D,
      ];
      const all = tf.slice(causalAttention(q, k, v, attributes), [9, 0], [5, -1]);
      const [q1, k1, v1] = [q, k, v].map((x) => tf.slice(x, [9, 0], [5, -1])) as [
        tf.Tensor2D,
        tf.Tensor2D,
        tf.Tensor2D,
      ];
      const alone = causalAttention(q1, k1, v1, { ...attributes, batch: 1, length: 5 });
      expect(await bitDifference('causalAttention', alone, all, random.seed)).toBeNull();
    });

    test('scores of ±10000 stay finite and choose the largest', async () => {
      const attributes = { batch: 1, length: 3, heads: 1, kvHeads: 1, headDim: 4 };
      const q = tf.fill([3, 4], 100);
      const k = tf.tensor2d(
        [-100, 100, -100].flatMap((x) => [x, x, x, x]),
        [3, 4],
      );
      const v = tf.tensor2d(
        [1, 2, 3].flatMap((x) => [x, x, x, x]),
        [3, 4],
      );
      const o = await causalAttention(q, k, v, attributes).data();
      expect([o[0], o[4], o[8]]).toEqual([1, 2, 2]);
    });
  });
}
