/** Merging on the running backend against float64, and against the same adapter left unmerged. */
import { describe, expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import { worstDifference } from '../testing/accuracy.ts';
import {
  ARCHITECTURES,
  MOST_ROUNDING,
  randomAdapterPool,
  randomPool,
  randomTokens,
} from '../testing/adaptedModels.ts';
import { Adapter } from './adapter.ts';
import { parseModelConfig, type ModelConfig } from './config.ts';
import { LanguageModel, type TokenBatch } from './languageModel.ts';
import { LORA_TARGETS } from './loraTargets.ts';
import type { LoraSettings } from './lora.ts';
import { mergeAdapter } from '../testing/mergeAdapter.ts';
import { mergeIntoWeights } from './mergeAdapter.ts';
import { copyBase, mergeFactors, mergePlan } from './mergePlan.ts';
import { packedLength } from './parameters.ts';
import { ModelWeights } from './weights.ts';

const POSITIONS = 32;

/** No size but the heads' is a multiple of anything. */
const ODD = parseModelConfig({
  model_type: 'llama',
  num_hidden_layers: 1,
  intermediate_size: 37,
  vocab_size: 31,
  hidden_size: 21,
  num_attention_heads: 5,
  num_key_value_heads: 5,
  head_dim: 6,
  tie_word_embeddings: true,
});

const CASES: readonly [string, ModelConfig, LoraSettings][] = [
  ['grouped queries, rank 8', ARCHITECTURES.llama, { rank: 8, alpha: 24, targets: LORA_TARGETS }],
  ['tied head and normed heads, rank 17', ARCHITECTURES.qwen3, { rank: 17, alpha: 8, targets: LORA_TARGETS }],
  ['biases, rank 1, the middle of three', ARCHITECTURES.qwen2, { rank: 1, alpha: 2, targets: ['k_proj'] }],
  ['odd sizes, rank 17', ODD, { rank: 17, alpha: 17, targets: LORA_TARGETS }],
  ['odd sizes, rank 2, the ends', ODD, { rank: 2, alpha: 1, targets: ['q_proj', 'v_proj', 'up_proj'] }],
];

async function logprobsOf(model: LanguageModel, tokens: TokenBatch): Promise<Float32Array> {
  const state = await model.forward(tokens, () => Promise.resolve(), { forBackward: false });
  const { logprob, entropy } = await model.logprobs(state, 1, () => Promise.resolve());
  model.release(state);
  const values = (await logprob.data<'float32'>()).slice();
  tf.dispose([logprob, entropy]);
  return values;
}

export function mergeAdapterSuite(): void {
  describe('mergeIntoWeights', () => {
    test.each(CASES)(
      '%s: every adapter is merged into the base, to 1e-6 of float64 and to rounding of the unmerged forward',
      async (_, config, settings) => {
        const random = freshInputs();
        const base = randomPool(config, random);
        const plan = mergePlan(config, settings);
        const wide = new Float32Array(packedLength(plan.merged));
        copyBase(plan, base, wide);
        const weights = new ModelWeights(plan.merged, wide);
        const adapters = [1, 2, 3].map(() => randomAdapterPool(config, settings, random));
        const tensors = tf.memory().numTensors;
        for (const adapter of adapters) {
          mergeIntoWeights(weights, plan, base, mergeFactors(plan, adapter));
          const expected = mergeAdapter(config, base, adapter, settings);
          const worst = worstDifference(await weights.pack(), expected);
          expect({ seed: random.seed, close: worst < 1e-6 }).toEqual({ seed: random.seed, close: true });
        }
        expect(tf.memory().numTensors).toBe(tensors);
        const [last] = adapters.slice(-1);
        if (!last) throw new Error('No adapter.');
        const merged = new LanguageModel(weights, POSITIONS);
        const unmerged = new LanguageModel(
          new ModelWeights(config, base),
          POSITIONS,
          new Adapter(config, settings, last),
        );
        const tokens = randomTokens(config, random);
        const apart = worstDifference(await logprobsOf(merged, tokens), await logprobsOf(unmerged, tokens));
        expect({ seed: random.seed, close: apart < MOST_ROUNDING }).toEqual({
          seed: random.seed,
          close: true,
        });
        for (const model of [merged, unmerged]) model.dispose();
      },
    );
  });
}
