/** Where tfjs 4.22.0 fails on WebGPU, and that our way round it holds. */
import { expect, test } from 'vitest';
import { f32, gpuDispatcher, shaderHeader } from '../backend/dispatch.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { difference } from './testing/compare.ts';
import { freshInputs } from './testing/random.ts';
import { gemmReference, inRows, transposed } from './testing/reference.ts';
import { gemm } from './gemm/gemm.ts';

await startBackend('webgpu');

test("tfjs' split-K product still ignores transposeB; its packed one, which we set, and ours are right", async () => {
  const random = freshInputs();
  const [m, n, k] = [32, 8, 2048];
  const a = random.floats(m * k);
  const b = random.floats(n * k);
  const expected = gemmReference({ m, n, k }, inRows(a, k), transposed(inRows(b, k)));
  const [left, right] = [tf.tensor2d(a, [m, k]), tf.tensor2d(b, [n, k])];
  const ofTfjs = tf.matMul(left, right, false, true);
  expect(await difference('packed', ofTfjs, expected, 1e-5, random.seed)).toBeNull();
  expect(await difference('gemm', gemm(left, right, 'nt'), expected, 1e-5, random.seed)).toBeNull();
  const ours = tf.env().getNumber('WEBGPU_MATMUL_PROGRAM_TYPE');
  tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', -1);
  const chosenByTfjs = tf.matMul(left, right, false, true);
  tf.env().set('WEBGPU_MATMUL_PROGRAM_TYPE', ours);
  expect(await difference('split-K', chosenByTfjs, expected, 0.1, random.seed)).toContain('expected');
});

test('tfjs still multiplies the wrong matrices when a batch is broadcast over grouped queries', async () => {
  const random = freshInputs();
  const q = tf.tensor4d(random.floats(96), [2, 3, 4, 4]);
  const k = tf.tensor4d(random.floats(32), [2, 1, 4, 4]);
  const tiled = tf.matMul(q, tf.tile(k, [1, 3, 1, 1]));
  const expected = Float64Array.from(await tiled.data());
  expect(await difference('broadcast', tf.matMul(q, k), expected, 0.01, random.seed)).toContain('expected');
});

test('a tensor that was read and then written in place shows the new values', async () => {
  const x = tf.tensor1d([1, 2, 3]);
  expect([...(await x.data())]).toEqual([1, 2, 3]);
  gpuDispatcher(tf.engine().backend).dispatch({
    key: 'test-add-in-place',
    code: () => /* wgsl */ `${shaderHeader({ reads: [], writes: ['x: f32'], uniforms: ['amount: f32'] })}
@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) { x[i] += params.amount; }`,
    reads: [],
    writes: [x],
    uniforms: [f32(10)],
    workgroups: [1],
  });
  expect([...(await x.data())]).toEqual([11, 12, 13]);
});

test('a grid wider than WebGPU allows is refused with its size, not run short', () => {
  const x = tf.tensor1d([1]);
  expect(() =>
    gpuDispatcher(tf.engine().backend).dispatch({
      key: 'test-too-wide',
      code: () => '',
      reads: [],
      writes: [x],
      uniforms: [],
      workgroups: [65_536],
    }),
  ).toThrow('65536');
});
