/** A head that works on 64 positions at a time, against the same op on all of them at once. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { rmsNorm, tokenLogprobs, tokenLogprobsGradient } from '../kernels/index.ts';
import { ARCHITECTURES, randomPool, randomTokens } from '../testing/adaptedModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { LanguageModel } from './languageModel.ts';
import { FINAL_NORM } from './weightNames.ts';
import { ModelWeights, ParameterPool } from './weights.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

/** A vocabulary of more than 65,536 tokens, so that only 64 positions are held at a time. */
const CONFIG = { ...ARCHITECTURES.llama, layers: 1, vocabSize: 65_600 };
const TEMPERATURE = 0.7;

test('log-probabilities, entropies and the gradient of the head are the same to the bit, with turns between', async () => {
  const random = freshInputs();
  const model = new LanguageModel(new ModelWeights(CONFIG, randomPool(CONFIG, random)), 64);
  const tokens = randomTokens(CONFIG, random, 3, 24);
  let turns = 0;
  const count = (): Promise<void> => {
    turns++;
    return Promise.resolve();
  };
  const state = await model.forward(tokens, () => Promise.resolve());
  const upstream = {
    logprob: tf.tensor1d(random.floats(72, 1)),
    entropy: tf.tensor1d(random.floats(72, 1)),
  };
  const found = await model.logprobs(state, TEMPERATURE, count);
  expect(turns).toBe(1);

  const normed = rmsNorm(state.hidden, model.weights.get(FINAL_NORM), CONFIG.rmsEps);
  const whole = tokenLogprobs(normed, model.weights.head, state.targets, TEMPERATURE);
  expect(await found.logprob.data()).toEqual(await whole.logprob.data());
  expect(await found.entropy.data()).toEqual(await whole.entropy.data());

  const expected = new ParameterPool(CONFIG, null);
  const inputs = { hidden: normed, head: model.weights.head, targets: state.targets };
  const derivatives = { dlogprob: upstream.logprob, dentropy: upstream.entropy };
  tokenLogprobsGradient({ ...inputs, ...derivatives }, TEMPERATURE, { head: expected.head });
  const gradients = model.trainable.newGradients();
  await model.backward(state, upstream, TEMPERATURE, gradients, count);
  const headOf = async (pool: Pick<ParameterPool, 'pack'>): Promise<Float32Array<ArrayBuffer>> => {
    const { offset, shape } = expected.head;
    return new Float32Array(await pool.pack()).slice(offset, offset + (shape[0] ?? 0) * (shape[1] ?? 0));
  };
  const head = await headOf(gradients);
  expect(head.some((value) => value !== 0)).toBe(true);
  expect(Buffer.from(head.buffer).equals(Buffer.from((await headOf(expected)).buffer))).toBe(true);
});
