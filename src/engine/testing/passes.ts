/** One pass of a model, forward and backward, for tests. */
import { expect } from 'vitest';
import * as tf from '../backend/tf.ts';
import type { LanguageModel, TokenBatch } from '../model/languageModel.ts';

const TEMPERATURE = 0.8;

const breathe = (): Promise<void> => Promise.resolve();

interface Values {
  readonly logprob: Float32Array;
  readonly entropy: Float32Array;
}

/**
 * Values of every position and the gradients of what the model trains, given those of the loss by the values. `slopes` makes the gradient
 * of the head in the forward pass, where the model can. It checks that no tensor is left.
 */
export async function passOf(model: LanguageModel, tokens: TokenBatch, upstream: Values, slopes = false) {
  const before = tf.memory().numTensors;
  const gradients = model.trainable.newGradients();
  const state = await model.forward(tokens, breathe);
  const { logprob, entropy, slope } = await model.logprobs(state, TEMPERATURE, breathe, { slopes });
  const given = { logprob: tf.tensor1d(upstream.logprob), entropy: tf.tensor1d(upstream.entropy), slope };
  await model.backward(state, given, TEMPERATURE, gradients, breathe);
  model.release(state);
  const result = {
    logprob: (await logprob.data<'float32'>()).slice(),
    entropy: (await entropy.data<'float32'>()).slice(),
    gradients: (await gradients.tensor.data<'float32'>()).slice(),
    hasSlope: slope !== undefined,
  };
  gradients.dispose();
  tf.dispose([logprob, entropy, given.logprob, given.entropy, ...(slope ? [slope] : [])]);
  expect(tf.memory().numTensors).toBe(before);
  return result;
}
