/** tfjs 4.22.0 loses its tape when a gradient function asks for gradients. Alone in its file: the engine stays broken. */
import { expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { wasmPathInNode } from '../testing/wasm.ts';

test('tfjs still fails on tf.grad inside a gradient function', async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  const recomputed = tf.customGrad((x, save) => {
    const input = x as tf.Tensor;
    (save as tf.GradSaveFunc)([input]);
    const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]) =>
      tf.grad((again: tf.Tensor) => tf.square(again))(saved[0] as tf.Tensor, dy);
    return { value: tf.square(input), gradFunc };
  });
  const gradient = tf.grad((x: tf.Tensor) => tf.sum(recomputed(tf.mul(x, 2))));
  expect(() => gradient(tf.tensor1d([1, 2]))).toThrow("reading 'forEach'");
});
