/** Where tfjs 4.22.0 fails on wasm, and that our way round it holds. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { difference } from './testing/compare.ts';
import { freshInputs } from './testing/random.ts';
import { gemmReference, inRows, transposed } from './testing/reference.ts';
import { embeddingGradient } from './embedding/embedding.ts';
import { gemm } from './gemm/gemm.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

test('the slow transposed products of tfjs and ours through a rewrite give the same right values', async () => {
  const random = freshInputs();
  const [m, n, k] = [19, 23, 41];
  const a = random.floats(m * k);
  const b = random.floats(n * k);
  const expected = gemmReference({ m, n, k }, inRows(a, k), transposed(inRows(b, k)));
  const [left, right] = [tf.tensor2d(a, [m, k]), tf.tensor2d(b, [n, k])];
  const ofTfjs = tf.matMul(left, right, false, true);
  expect(await difference('tf.matMul', ofTfjs, expected, 1e-5, random.seed)).toBeNull();
  expect(await difference('gemm', gemm(left, right, 'nt'), expected, 1e-5, random.seed)).toBeNull();
});

test('tfjs still has no sums of segments on wasm, which its gradient of gather needs; our embedding has a gradient', async () => {
  const ids = tf.tensor1d([1, 1], 'int32');
  expect(() => tf.unsortedSegmentSum(tf.ones([2, 1]), ids, 3)).toThrow('UnsortedSegmentSum');
  const target = tf.zeros([3, 1]);
  embeddingGradient(tf.tensor2d([[2], [3]]), ids, { tensor: target, offset: 0, shape: [3, 1] });
  expect([...(await target.data())]).toEqual([0, 5, 0]);
});
