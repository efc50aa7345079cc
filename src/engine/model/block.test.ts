import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { activated, activatedGradient, activationFloats } from './block.ts';
import { parseModelConfig } from './config.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

test('ReLU leaves what is above 0, and passes the gradient there alone', async () => {
  const up = tf.tensor2d([
    [-2, 0, 3],
    [0.5, -0.25, 1e-30],
  ]);
  const dy = tf.tensor2d([
    [5, 7, 11],
    [-13, 17, 19],
  ]);
  const y = activated(up, 'relu');
  const dx = activatedGradient(up, dy, 'relu');
  expect([...(await y.data())]).toEqual([0, 0, 3, 0.5, 0, Math.fround(1e-30)]);
  expect([...(await dx.data())].map((value) => value + 0)).toEqual([0, 0, 11, -13, 0, 19]);
  tf.dispose([up, dy, y, dx]);
});

test('an MLP without a gate keeps one activation fewer for each unit', () => {
  const json = {
    vocab_size: 8,
    hidden_size: 8,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 24,
  };
  const gated = parseModelConfig({ ...json, model_type: 'llama' });
  const plain = parseModelConfig({ ...json, model_type: 'arcee', hidden_act: 'relu' });
  expect(activationFloats(gated) - activationFloats(plain)).toBe(24);
});
