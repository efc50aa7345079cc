/** Models of each architecture against transformers: log-probabilities, logits and gradients of every tensor. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { worstDifference } from '../testing/accuracy.ts';
import answers from '../testing/architectures.json' with { type: 'json' };
import { referenceLogits } from '../testing/decoderReference.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { parseModelConfig, type ModelConfig } from './config.ts';
import { LanguageModel } from './languageModel.ts';
import { huggingFaceSpecs, sizeOf } from './parameters.ts';
import { ModelWeights, type TensorData } from './weights.ts';

const POSITIONS = 32;
/** transformers computes norms, softmax and the tables of RoPE in float32. */
const TOLERANCE = 2e-5;
const breathe = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

/** The rule of `architectures.py`. */
function weightsOf(config: ModelConfig): Map<string, TensorData> {
  return new Map(
    huggingFaceSpecs(config).map(({ name, shape }) => {
      const data = Float32Array.from({ length: sizeOf(shape) }, (_, i) => {
        const turned = Math.sin(12.9898 * (i + 1) + 78.233 * name.length) * 43758.5453;
        const uniform = turned - Math.floor(turned) - 0.5;
        if (shape.length > 1) return (uniform * 3) / Math.sqrt(shape[1] ?? NaN);
        return uniform * 0.4 + (name.includes('norm') ? 1 - config.normShift : 0);
      });
      return [name, { shape, data }];
    }),
  );
}

test.each(Object.entries(answers.models))('%s', async (_, { config: json, logits, logprobs, gradients }) => {
  const config = parseModelConfig(json);
  const weights = weightsOf(config);
  const { ids } = answers;
  expect(worstDifference(referenceLogits(config, weights, ids).at(-1) ?? [], logits)).toBeLessThan(TOLERANCE);

  const pool = ModelWeights.fromHuggingFace(config, weights);
  const model = new LanguageModel(pool, POSITIONS);
  const length = ids.length - 1;
  const tokens = {
    batch: 1,
    length,
    ids: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
  };
  const state = await model.forward(tokens, breathe);
  const { logprob, entropy } = await model.logprobs(state, 1, breathe);
  expect(worstDifference(await logprob.data(), logprobs)).toBeLessThan(TOLERANCE);
  const sums = pool.newGradients();
  const upstream = { logprob: tf.fill([length], -1 / length), entropy: tf.zeros([length]) };
  await model.backward(state, upstream, 1, sums, breathe);
  const found = await sums.toHuggingFace();
  const norms = Object.fromEntries([...found].map(([name, { data }]) => [name, Math.hypot(...data)]));
  expect(Object.keys(norms).sort()).toEqual(Object.keys(gradients).sort());
  for (const [name, expected] of Object.entries(gradients))
    // Without RoPE a bias of keys moves all scores alike: its gradient is 0 but for rounding.
    expect(Math.abs((norms[name] ?? NaN) - expected)).toBeLessThan(1e-3 * expected + 1e-6);
  model.release(state);
  tf.dispose([logprob, entropy, upstream.logprob, upstream.entropy]);
  sums.dispose();
  model.dispose();
});
