import { describe, expect, test } from 'vitest';
import { memoryUse } from '../../backend/memory.ts';
import * as tf from '../../backend/tf.ts';
import * as ops from '../index.ts';
import { freshInputs } from './random.ts';

/** One use of every op, forward and backward, with everything freed at the end. */
async function everyOpOnce(): Promise<void> {
  const random = freshInputs();
  const matrix = (rows: number, columns: number) =>
    tf.tensor2d(random.floats(rows * columns), [rows, columns]);
  const results = tf.tidy(() => {
    const ids = tf.tensor1d(random.ints(70, 5), 'int32');
    const tables = { cosines: matrix(8, 2), sines: matrix(8, 2) };
    const gamma = tf.tensor1d(random.floats(8));
    const attributes = { batch: 10, length: 7, heads: 2, kvHeads: 2, headDim: 4 };
    const loss = (x: tf.Tensor) => {
      const hidden = ops.rope(ops.rmsNorm(x, gamma, 1e-5), ids, tables);
      const attended = ops.causalAttention(hidden, hidden, hidden, attributes);
      const gated = ops.swiglu(ops.gemm(attended, matrix(8, 8), 'nt'), hidden);
      return tf.sum(ops.tokenLogprobs(gated, matrix(5, 8), ids, 1).logprob);
    };
    const gradient = tf.grad(loss)(ops.embedding(matrix(5, 8), ids));
    const dtable = tf.zeros([5, 8]);
    ops.embeddingGradient(gradient, ids, { tensor: dtable, offset: 0, shape: [5, 8] });
    const cache = { keys: tf.zeros([3, 9, 8]), values: tf.zeros([3, 9, 8]) };
    const slots = tf.tensor1d([2, 1], 'int32');
    ops.fillCache(cache.keys, gradient, slots, { length: 7 });
    const [q, k, v] = [matrix(2, 8), matrix(2, 8), matrix(2, 8)];
    const decoded = ops.decodeAttention({ q, k, v, slots, positions: slots }, cache, attributes);
    const attributesOfStep = { learningRate: 1, beta1: 0.9, beta2: 0.9, epsilon: 1, weightDecay: 0 };
    const { parameter } = ops.adamw(
      { parameter: dtable, gradient: dtable, m: dtable, v: tf.square(dtable) },
      { ...attributesOfStep, gradientScale: 1, correction1: 1, correction2: 1 },
    );
    return [ops.squaredNorm(dtable), decoded, parameter];
  });
  for (const result of results) await result.data();
  tf.dispose(results);
}

export function memorySuite(): void {
  describe('memory', () => {
    test('every op over and over holds no more tensors, data or GPU bytes than after three times', async () => {
      const use = () => ({ ...memoryUse(), data: tf.engine().backend.numDataIds() });
      for (let round = 0; round < 3; round++) await everyOpOnce();
      const before = use();
      for (let round = 0; round < 10; round++) await everyOpOnce();
      expect(use()).toEqual(before);
    });
  });
}
