/** Gradients that tfjs lacks, by differences in the loss itself. */
import { beforeAll, expect, test } from 'vitest';
import { wasmPathInNode } from '../testing/wasm.ts';
import { startBackend } from './start.ts';
import * as tf from './tf.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

const SHAPE: [number, number, number] = [3, 4, 2];
const picks = (): tf.Tensor2D =>
  tf.tensor2d(
    [
      [2, 0],
      [1, 2],
      [2, 2],
    ],
    [3, 2],
    'int32',
  );

/** Each of x that was itself computed, as a loss has it. */
const LOSSES: Readonly<Record<string, (x: tf.Tensor) => tf.Tensor>> = {
  logSigmoid: (x) => tf.logSigmoid(tf.mul(3, x)),
  'gather, first axis': (x) => tf.square(tf.gather(tf.mul(3, x), tf.tensor1d([2, 0, 2], 'int32'))),
  'gather, middle axis': (x) => tf.square(tf.gather(tf.mul(3, x), picks(), 1)),
  'gather, last axis': (x) => tf.square(tf.gather(tf.mul(3, x), tf.tensor1d([1, 1, 0], 'int32'), -1)),
  'where, greater': (x) => tf.where(tf.greater(tf.mul(2, x), 0.3), tf.square(x), tf.exp(x)),
  'where, lessEqual of two': (x) => tf.where(tf.lessEqual(tf.square(x), tf.mul(0.5, x)), tf.exp(x), x),
  'a mask of notEqual': (x) => tf.mul(tf.cast(tf.notEqual(tf.mul(2, x), 9), 'float32'), tf.exp(x)),
};

test.each(Object.keys(LOSSES))('%s', async (name) => {
  // In mixed order, and none nearer than two steps to where a comparison tips: 0.15, 0, 0.5.
  const values = Array.from({ length: 24 }, (_, i) => (((5 * i) % 24) - 11.5) / 12);
  const loss = (x: tf.Tensor): tf.Scalar => tf.sum((LOSSES[name] ?? tf.neg)(x));
  const at = (numbers: readonly number[]): tf.Tensor3D => tf.tensor3d([...numbers], SHAPE);
  const [gradient] = tf.grads(loss)([at(values)]) as [tf.Tensor];
  const found = await gradient.data<'float32'>();
  const step = 1e-2;
  const moved = async (i: number, by: number): Promise<number> => {
    const [value = NaN] = await loss(at(values.map((v, j) => (j === i ? v + by : v)))).data<'float32'>();
    return value;
  };
  for (let i = 0; i < values.length; i++) {
    const difference = ((await moved(i, step)) - (await moved(i, -step))) / (2 * step);
    expect(Math.abs((found[i] ?? NaN) - difference)).toBeLessThan(0.02 * Math.max(1, Math.abs(difference)));
  }
});
