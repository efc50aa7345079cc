/** A pass over some positions against a pass over all of them, of which the others have no part in the loss. */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { LORA_TARGETS } from './loraTargets.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { relativeError } from '../testing/accuracy.ts';
import {
  adaptedPair,
  ARCHITECTURES,
  randomAdapterPool,
  randomPool,
  randomTokens,
} from '../testing/adaptedModels.ts';
import type { LanguageModel, TokenBatch } from './languageModel.ts';

const SETTINGS = { rank: 3, alpha: 5, targets: LORA_TARGETS };
const TEMPERATURE = 0.8;

const breathe = (): Promise<void> => Promise.resolve();

interface Values {
  readonly logprob: Float32Array;
  readonly entropy: Float32Array;
}

/** Values of every position and the gradients of what the model trains, given those of the loss by the values. */
async function passOf(model: LanguageModel, tokens: TokenBatch, upstream: Values) {
  const before = tf.memory().numTensors;
  const gradients = model.trainable.newGradients();
  const state = await model.forward(tokens, breathe);
  const { logprob, entropy } = await model.logprobs(state, TEMPERATURE, breathe);
  const given = { logprob: tf.tensor1d(upstream.logprob), entropy: tf.tensor1d(upstream.entropy) };
  await model.backward(state, given, TEMPERATURE, gradients, breathe);
  model.release(state);
  const result = {
    logprob: (await logprob.data<'float32'>()).slice(),
    entropy: (await entropy.data<'float32'>()).slice(),
    gradients: (await gradients.tensor.data<'float32'>()).slice(),
  };
  gradients.dispose();
  tf.dispose([logprob, entropy, given.logprob, given.entropy]);
  expect(tf.memory().numTensors).toBe(before);
  return result;
}

export function rowSelectionSuite(): void {
  describe('some positions of a batch', () => {
    for (const [name, config] of Object.entries(ARCHITECTURES)) {
      test(`${name}: have the values and gradients that they have among all`, async () => {
        const random = freshInputs();
        const pools = {
          base: randomPool(config, random),
          adapter: randomAdapterPool(config, SETTINGS, random),
        };
        const { adapted, merged } = adaptedPair(config, SETTINGS, pools);
        const tokens = randomTokens(config, random);
        const chosen = random.ints(tokens.ids.length, 3).map((value) => (value === 0 ? 1 : 0));
        chosen[chosen.length - 1] = 1;
        const wanted = Int32Array.from(chosen.keys()).filter((position) => chosen[position] === 1);
        const only = (values: Float32Array): Float32Array =>
          values.map((value, i) => (chosen[i] === 1 ? value : 0));
        const upstream = {
          logprob: only(random.floats(chosen.length)),
          entropy: only(random.floats(chosen.length, 0.3)),
        };
        for (const model of [adapted, merged]) {
          const all = await passOf(model, tokens, upstream);
          const some = await passOf(model, { ...tokens, wanted }, upstream);
          expect({ seed: random.seed, logprob: some.logprob }).toEqual({
            seed: random.seed,
            logprob: only(all.logprob),
          });
          expect({ seed: random.seed, entropy: some.entropy }).toEqual({
            seed: random.seed,
            entropy: only(all.entropy),
          });
          // Sums over rows leave zeros out; those of scales of norms are taken in other pieces.
          expect({ seed: random.seed, close: relativeError(some.gradients, all.gradients) < 1e-6 }).toEqual({
            seed: random.seed,
            close: true,
          });
        }
        adapted.dispose();
        merged.dispose();
      });
    }
  });
}
