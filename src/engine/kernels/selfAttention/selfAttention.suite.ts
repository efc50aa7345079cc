import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { bitDifference, difference, opProblems } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import type { SelfAttentionAttributes } from './wasm.ts';
import { selfAttention, selfAttentionGradient } from './selfAttention.ts';

const columnsOf = ({ heads, kvHeads, headDim }: SelfAttentionAttributes): number =>
  (heads + 2 * kvHeads) * headDim;

/** Mixed values and log-sum-exp of each query, from the definition. */
function reference(attributes: SelfAttentionAttributes, qkv: Float64Array): [Float64Array, Float64Array] {
  const { batch, length, heads, kvHeads, headDim } = attributes;
  const { scale = 1 / Math.sqrt(headDim), window } = attributes;
  const columns = columnsOf(attributes);
  const mixed = new Float64Array(batch * length * heads * headDim);
  const logSumExp = new Float64Array(batch * length * heads);
  const at = (row: number, head: number, i: number) => qkv[row * columns + head * headDim + i] ?? NaN;
  for (let query = 0; query < batch * length; query++) {
    for (let head = 0; head < heads; head++) {
      const key = heads + Math.floor((head * kvHeads) / heads);
      const first = Math.max(query - (query % length), query + 1 - (window ?? length));
      const weights: number[] = [];
      for (let row = first; row <= query; row++) {
        let score = 0;
        for (let i = 0; i < headDim; i++) score += at(query, head, i) * at(row, key, i);
        weights.push(Math.exp(score * scale));
      }
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      logSumExp[query * heads + head] = Math.log(total);
      for (const [j, weight] of weights.entries()) {
        for (let i = 0; i < headDim; i++) {
          const to = (query * heads + head) * headDim + i;
          mixed[to] = (mixed[to] ?? NaN) + (weight / total) * at(first + j, key + kvHeads, i);
        }
      }
    }
  }
  return [mixed, logSumExp];
}

/** The other tests have heads of 12, too: each size of a head is a kernel of its own, of which a software adapter compiles each for seconds. */
export const SELF_ATTENTION_CASES: readonly SelfAttentionAttributes[] = [
  { batch: 1, length: 1, heads: 1, kvHeads: 1, headDim: 2 },
  { batch: 2, length: 7, heads: 4, kvHeads: 2, headDim: 6 },
  { batch: 3, length: 5, heads: 3, kvHeads: 1, headDim: 10 },
  { batch: 1, length: 70, heads: 2, kvHeads: 2, headDim: 16 },
  // Read as heads of 64 are, in little more than half the code.
  { batch: 2, length: 9, heads: 6, kvHeads: 2, headDim: 36 },
  { batch: 2, length: 9, heads: 6, kvHeads: 2, headDim: 64 },
  { batch: 1, length: 4, heads: 2, kvHeads: 1, headDim: 128 },
  { batch: 1, length: 100, heads: 2, kvHeads: 1, headDim: 12 },
  { batch: 2, length: 7, heads: 4, kvHeads: 2, headDim: 6, window: 1, scale: 0.3 },
  { batch: 2, length: 21, heads: 2, kvHeads: 1, headDim: 12, window: 3 },
  { batch: 1, length: 300, heads: 2, kvHeads: 1, headDim: 12, window: 37, scale: 0.2 },
  { batch: 2, length: 70, heads: 2, kvHeads: 1, headDim: 36, window: 16 },
];

/** A lone number, halves of vectors, whole ones over several blocks, and heads too wide for four rows at once. */
export const FEW_SELF_ATTENTION_CASES = SELF_ATTENTION_CASES.filter(({ headDim }) =>
  [2, 6, 12, 36].includes(headDim),
);

export function selfAttentionSuite(cases = SELF_ATTENTION_CASES): void {
  describe('selfAttention', () => {
    for (const attributes of cases) {
      const { batch, length, heads, kvHeads, headDim } = attributes;
      const seen = attributes.window ? `, window ${attributes.window}` : '';
      test(`${batch} x ${length}, ${heads} heads on ${kvHeads}, size ${headDim}${seen}`, async () => {
        const random = freshInputs();
        const shape = [batch * length, columnsOf(attributes)];
        const values = random.floats(batch * length * columnsOf(attributes), 1.5);
        expect(
          await opProblems(random, {
            what: 'selfAttention',
            inputs: [{ name: 'qkv', shape, values }],
            reference: (qkv = new Float64Array()) => [reference(attributes, qkv)[0]],
            op: (qkv) => [selfAttention(qkv as tf.Tensor, attributes).mixed],
            valueTolerance: 1e-5,
            gradientTolerance: 2e-5,
          }),
        ).toEqual([]);
        const { logSumExp } = selfAttention(tf.tensor(values, shape), attributes);
        const [, expected] = reference(attributes, Float64Array.from(values));
        expect(
          await difference('logSumExp', logSumExp, expected, 1e-6, random.seed, Math.max(...shape)),
        ).toBeNull();
      });
    }

    test('rows before position 5 do not feel the padding after it, and no sequence its neighbours', async () => {
      const random = freshInputs();
      const attributes = { batch: 3, length: 9, heads: 2, kvHeads: 1, headDim: 12 };
      const qkv = tf.tensor2d(random.floats(27 * 48), [27, 48]);
      const all = selfAttention(qkv, attributes);
      const alone = selfAttention(tf.slice(qkv, [9, 0], [5, -1]), { ...attributes, batch: 1, length: 5 });
      for (const name of ['mixed', 'logSumExp'] as const) {
        const among = tf.slice(all[name], [9, 0], [5, -1]);
        expect(await bitDifference(name, alone[name], among, random.seed)).toBeNull();
      }
    });

    test('gradients are the same to the bit twice, and for a sequence alone and beside others', async () => {
      const random = freshInputs();
      const attributes = { batch: 5, length: 67, heads: 4, kvHeads: 2, headDim: 12 };
      const rows = 5 * 67;
      const gradient = (first: number, count: number): tf.Tensor => {
        const own = { ...attributes, batch: count };
        const input = tf.slice(qkv, [first * 67, 0], [count * 67, -1]);
        const attended = selfAttention(input, own);
        const dy = tf.slice(dys, [first * 67, 0], [count * 67, -1]);
        return selfAttentionGradient({ qkv: input, ...attended, dy }, own);
      };
      const qkv = tf.tensor2d(random.floats(rows * 96), [rows, 96]);
      const dys = tf.tensor2d(random.floats(rows * 48), [rows, 48]);
      const all = gradient(0, 5);
      expect(await bitDifference('twice', gradient(0, 5), all, random.seed)).toBeNull();
      const among = tf.slice(all, [3 * 67, 0], [67, -1]);
      expect(await bitDifference('alone', gradient(3, 1), among, random.seed)).toBeNull();
    });

    test('values and gradients of padding do not reach the gradient of what comes before it', async () => {
      const random = freshInputs();
      const attributes = { batch: 1, length: 40, heads: 2, kvHeads: 1, headDim: 12 };
      const gradient = async (padding: number): Promise<Float32Array> => {
        const spoiled = qkv.slice();
        spoiled.fill(padding, 30 * 48);
        const input = tf.tensor2d(spoiled, [40, 48]);
        const attended = selfAttention(input, attributes);
        const dy = tf.tensor2d(dys, [40, 24]);
        const dqkv = selfAttentionGradient({ qkv: input, ...attended, dy }, attributes);
        return (await dqkv.data()).slice(0, 30 * 48) as Float32Array;
      };
      const qkv = random.floats(40 * 48);
      const dys = random.floats(40 * 24);
      dys.fill(0, 30 * 24);
      expect(await gradient(3), `seed ${random.seed}`).toEqual(await gradient(-1));
    });

    test('scores of ±10000 stay finite and choose the largest', async () => {
      const attributes = { batch: 1, length: 3, heads: 1, kvHeads: 1, headDim: 4 };
      const four = (x: number) => [x, x, x, x];
      const qkv = tf.tensor2d(
        [-100, 100, -100].map((key, t) => [...four(100), ...four(key), ...four(t + 1)]),
      );
      const { mixed, logSumExp } = selfAttention(qkv, attributes);
      const o = await mixed.data();
      expect([o[0], o[4], o[8]]).toEqual([1, 2, 2]);
      expect(
        await difference('logSumExp', logSumExp, Float64Array.of(-20000, 20000, 20000), 1e-6, 0),
      ).toBeNull();
    });
  });
}
