/**
 * A base model that speaks in turns: it has no chat template, and its weights are made by hand, so that each token decides the next. It
 * attends to nothing and its layers add nothing; from one-hot embeddings the head reads the logits of the next token.
 */
import { loadModel } from '../hub/load.ts';
import { writeSafetensors } from '../hub/safetensors.ts';
import { filesInMemory } from '../hub/sources.ts';
import type { LoadedModel } from '../hub/types.ts';
import { parseModelConfig } from '../model/config.ts';
import { initialWeights } from '../model/initialize.ts';
import { drawsFor } from '@rl-playground/base/random';
import { jsonBytes } from './modelFolder.ts';
import { BYTE_LEVEL_TOKENS, byteLevelTokenizer } from './smallTokenizers.ts';

/** The width of the model: at least one number for each token. The norm scales a one-hot vector by the square root of it. */
const HIDDEN_SIZE = 256;

/** `follows` has pairs of tokens, and how much likelier than the others the second is after the first, as a difference of logits. */
export function bigramModel(follows: readonly (readonly [string, string, number])[]): Promise<LoadedModel> {
  const configJson = {
    model_type: 'llama',
    vocab_size: BYTE_LEVEL_TOKENS.length,
    hidden_size: HIDDEN_SIZE,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    head_dim: 8,
    intermediate_size: 8,
    tie_word_embeddings: false,
    max_position_embeddings: 1024,
    rms_norm_eps: 1e-6,
    eos_token_id: BYTE_LEVEL_TOKENS.indexOf('<|im_end|>'),
  };
  const weights = initialWeights(parseModelConfig(configJson), drawsFor(1));
  const filled = (name: string): Float32Array => {
    const found = weights.get(name);
    if (!found) throw new Error(`There is no ${name}.`);
    return found.data.fill(0);
  };
  filled('model.layers.0.self_attn.o_proj.weight');
  filled('model.layers.0.mlp.down_proj.weight');
  const embedding = filled('model.embed_tokens.weight');
  BYTE_LEVEL_TOKENS.forEach((_, id) => (embedding[id * HIDDEN_SIZE + id] = 1));
  const head = filled('lm_head.weight');
  for (const [from, to, logit] of follows) {
    const [row, column] = [BYTE_LEVEL_TOKENS.indexOf(to), BYTE_LEVEL_TOKENS.indexOf(from)];
    head[row * HIDDEN_SIZE + column] = logit / Math.sqrt(HIDDEN_SIZE);
  }
  const { tokenizerJson, tokenizerConfig } = byteLevelTokenizer({ template: false });
  const files = new Map([
    ['config.json', jsonBytes(configJson)],
    ['tokenizer.json', jsonBytes(tokenizerJson)],
    ['tokenizer_config.json', jsonBytes(tokenizerConfig)],
    ['model.safetensors', writeSafetensors(weights)],
  ]);
  return loadModel(filesInMemory('bigram', files));
}
