/** The activations that blocks keep for the backward pass, and blocks that are run again in it against blocks whose activations were kept. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { ARCHITECTURES, randomPool, randomTokens } from '../testing/adaptedModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { activationFloats } from './block.ts';
import { tokensAtOnce } from './activationBudget.ts';
import { LanguageModel } from './languageModel.ts';
import { ModelWeights } from './weights.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

test.each(Object.entries(ARCHITECTURES))(
  '%s: no bit of a gradient depends on the budget',
  async (_, config) => {
    const random = freshInputs();
    const pool = randomPool(config, random);
    const tokens = randomTokens(config, random);
    const count = tokens.batch * tokens.length;
    const upstream = tf.tensor1d(random.floats(count, 1));
    const breathe = (): Promise<void> => Promise.resolve();
    const gradientsWithin = async (activationBytes: number): Promise<Float32Array> => {
      const model = new LanguageModel(new ModelWeights(config, pool), count, null, activationBytes);
      const gradients = model.trainable.newGradients();
      const state = await model.forward(tokens, breathe);
      const { logprob, entropy } = await model.logprobs(state, 1, breathe);
      await model.backward(state, { logprob: upstream, entropy: upstream }, 1, gradients, breathe);
      model.release(state);
      const values = await gradients.pack();
      tf.dispose([logprob, entropy]);
      gradients.dispose();
      model.dispose();
      return values;
    };
    const block = 4 * count * activationFloats(config);
    const whole = await gradientsWithin(config.layers * block);
    expect(await gradientsWithin(0)).toEqual(whole);
    expect(await gradientsWithin(block)).toEqual(whole);
    upstream.dispose();
  },
);

test.each(Object.entries(ARCHITECTURES))(
  '%s: forward keeps the inputs of blocks, the numbers of `activationFloats`, and nothing else',
  async (_, config) => {
    const random = freshInputs();
    const tokens = randomTokens(config, random);
    const count = tokens.batch * tokens.length;
    const model = new LanguageModel(new ModelWeights(config, randomPool(config, random)), count);
    const before = tf.memory().numBytes;
    const state = await model.forward(tokens, () => Promise.resolve());
    const { layers, hiddenSize } = config;
    const idsTargetsAndPositions = 3;
    const floats = (layers + 1) * hiddenSize + layers * activationFloats(config) + idsTargetsAndPositions;
    expect(tf.memory().numBytes - before).toBe(4 * count * floats);
    model.release(state);
    expect(tf.memory().numBytes).toBe(before);
    model.dispose();
  },
);

test('on wasm as many tokens go through at once as the usual budget keeps in all blocks, from 256 on, by hand', () => {
  // 16 of the residual, (4 + 2) · 4 of q | k | v, 4 · (4 + 1) of attention and 72 of gate | up, in each of 2 blocks.
  const bytes = 4 * 2 * (16 + 24 + 20 + 72);
  const { qwen2 } = ARCHITECTURES;
  const kept = Math.floor((288 * 2 ** 20) / bytes);
  expect(tokensAtOnce(qwen2, 2 ** 20, 'wasm')).toBe(kept);
  expect(tokensAtOnce({ ...qwen2, layers: 1000 }, 2 ** 20, 'wasm')).toBe(Math.floor(kept / 500));
  expect(tokensAtOnce({ ...qwen2, layers: 10_000 }, 2 ** 20, 'wasm')).toBe(256);
  expect(tokensAtOnce(qwen2, 128, 'wasm')).toBe(128);
  expect(tokensAtOnce(qwen2, 2 ** 20, 'webgpu')).toBe(2 ** 20);
});
