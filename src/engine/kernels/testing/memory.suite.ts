import { describe, expect, test } from 'vitest';
import { gpuBytes } from '../../backend/memory.ts';
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
    const rotation = { positions: ids, cosines: matrix(8, 2), sines: matrix(8, 2) };
    const gamma = tf.tensor1d(random.floats(8));
    const shape = { heads: 2, kvHeads: 1, headDim: 4, epsilon: 1e-5 };
    const attributes = { ...shape, batch: 10, length: 7 };
    const pool = tf.zeros([512]);
    const slice = (offset: number, ...extents: number[]) => ({ tensor: pool, offset, shape: extents });

    const x = ops.embedding(matrix(5, 8), ids);
    const normed = ops.rmsNorm(x, gamma, 1e-5);
    const qkv = ops.gemm(normed, matrix(8, 16), 'nn', { bias: tf.tensor1d(random.floats(16)) });
    const rotated = ops.rotateHeads(qkv, rotation, null, shape);
    const attended = ops.selfAttention(rotated, attributes);
    const gateUp = ops.gemm(attended.mixed, matrix(16, 8), 'nt');
    const hidden = ops.gemm(ops.gatedUnit(gateUp), matrix(8, 8), 'nn', { residual: x });
    const head = matrix(5, 8);
    const { logprob } = ops.tokenLogprobs(hidden, head, ids, 1);

    const dlogprob = tf.onesLike(logprob);
    const loss = { hidden, head, targets: ids, dlogprob, dentropy: tf.zerosLike(logprob) };
    const { dhidden } = ops.tokenLogprobsGradient(loss, 1, { head: slice(0, 5, 8) });
    const dgateUp = ops.gatedUnitGradient(gateUp, dhidden);
    ops.addColumnSums(slice(64, 16), dgateUp);
    const dmixed = ops.gemm(dgateUp, matrix(16, 8), 'nn');
    const dqkv = ops.selfAttentionGradient({ qkv: rotated, ...attended, dy: dmixed }, attributes);
    const dprojected = ops.rotateHeadsGradient({ qkv, dy: dqkv }, rotation, null, shape);
    ops.gemmInto(slice(128, 8, 16), normed, dprojected, 'tn');
    const dnormed = ops.gemm(dprojected, matrix(8, 16), 'nt');
    const dx = ops.rmsNormGradient({ x, gamma, dy: dnormed, residual: dhidden }, 1e-5, slice(256, 8));
    ops.embeddingGradient(dx, ids, slice(320, 5, 8));

    const cache = { keys: tf.zeros([3, 9, 4]), values: tf.zeros([3, 9, 4]) };
    const slots = tf.tensor1d([2, 1], 'int32');
    const lengths = tf.tensor1d([7, 4], 'int32');
    ops.fillCache(cache, { qkv: rotated, sources: slots, slots, lengths }, { ...shape, length: 7 });
    const [from, to] = [tf.tensor1d([2], 'int32'), tf.tensor1d([0], 'int32')];
    ops.forkCache(cache, { from, to }, { length: 7 });
    const decoded = ops.cacheAttention({ qkv: matrix(2, 16), slots, positions: slots }, cache, shape);

    const norm = ops.squaredNorm(pool);
    ops.adamwStep(
      {
        parameters: tf.zeros([512]),
        gradients: pool,
        m: tf.zeros([512]),
        v: tf.zeros([512]),
        squaredNorm: norm,
      },
      {
        learningRate: 1,
        beta1: 0.9,
        beta2: 0.9,
        epsilon: 1,
        weightDecay: 0,
        decayedLength: 256,
        clipNorm: 1,
        correction1: 1,
        correction2: 1,
      },
    );
    return [norm, decoded, pool];
  });
  for (const result of results) await result.data();
  tf.dispose(results);
}

export function memorySuite(): void {
  describe('memory', () => {
    test('every op over and over holds no more tensors, data or GPU bytes than after three times', async () => {
      const use = () => {
        const { numTensors, numBytes } = tf.memory();
        return { numTensors, numBytes, gpuBytes: gpuBytes(), data: tf.engine().backend.numDataIds() };
      };
      for (let round = 0; round < 3; round++) await everyOpOnce();
      const before = use();
      for (let round = 0; round < 10; round++) await everyOpOnce();
      expect(use()).toEqual(before);
    });
  });
}
