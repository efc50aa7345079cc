/** A model made from nothing: a vocabulary of whole words, and random weights. */
import { parseModelConfig } from '../model/config.ts';
import { initialWeights } from '../model/initialize.ts';
import { loadModel } from './load.ts';
import { writeSafetensors } from './safetensors.ts';
import { WEIGHT_FILES } from './openFolder.ts';
import { filesInMemory } from './sources.ts';
import type { LoadedModel } from './types.ts';
import { jsonBytes } from '@rl-playground/base/json';

export interface ScratchRecipe {
  readonly name: string;
  readonly vocabulary: WordVocabulary;
  readonly layers: number;
  /** The number of channels, a multiple of twice the heads. */
  readonly hiddenSize: number;
  readonly heads: number;
  readonly mlpSize: number;
  /** `swiglu` makes a Llama, `relu` an Arcee with its plain ReLU and biases in the MLP. */
  readonly mlp: keyof typeof FAMILIES;
  /** The longest prompt plus answer, in tokens. */
  readonly maxPositions: number;
}

function markIds({ words, bos, eos, pad }: WordVocabulary) {
  const id = (word: string): number => words.indexOf(word);
  return { bos_token_id: id(bos), eos_token_id: id(eos), pad_token_id: id(pad) };
}

/** The family of transformers for each MLP; these families differ in nothing else. */
const FAMILIES = {
  swiglu: {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    hidden_act: 'silu',
    mlp_bias: false,
  },
  relu: {
    architectures: ['ArceeForCausalLM'],
    model_type: 'arcee',
    hidden_act: 'relu',
    mlp_bias: true,
  },
} as const;

function modelConfigJson(recipe: ScratchRecipe): object {
  return {
    ...FAMILIES[recipe.mlp],
    hidden_size: recipe.hiddenSize,
    intermediate_size: recipe.mlpSize,
    num_hidden_layers: recipe.layers,
    num_attention_heads: recipe.heads,
    num_key_value_heads: recipe.heads,
    vocab_size: recipe.vocabulary.words.length,
    max_position_embeddings: recipe.maxPositions,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    tie_word_embeddings: false,
    attention_bias: false,
    ...markIds(recipe.vocabulary),
    torch_dtype: 'float32',
    rl_playground: { prompt_style: 'compact' },
  };
}

/** The files of a folder in Hugging Face layout. `draw` yields uniform numbers in [0, 1); the same draws give the same bytes. */
export function scratchModelFiles(recipe: ScratchRecipe, draw: () => number): Map<string, Uint8Array> {
  const configJson = modelConfigJson(recipe);
  const { tokenizerJson, tokenizerConfig } = wordTokenizerFiles(recipe.vocabulary);
  const weights = initialWeights(parseModelConfig(configJson), draw);
  return new Map([
    ['config.json', jsonBytes(configJson)],
    ['generation_config.json', jsonBytes({ ...markIds(recipe.vocabulary), do_sample: true })],
    ['tokenizer.json', jsonBytes(tokenizerJson)],
    ['tokenizer_config.json', jsonBytes(tokenizerConfig)],
    [WEIGHT_FILES.single, writeSafetensors(weights, { metadata: { format: 'pt' } })],
  ]);
}

/** The model, read from its own files, so that it equals what a checkpoint of it loads as. */
export function createScratchModel(recipe: ScratchRecipe, draw: () => number): Promise<LoadedModel> {
  return loadModel(filesInMemory(recipe.name, scratchModelFiles(recipe, draw)));
}

export interface WordVocabulary {
  /** The texts of the tokens by id; none contains a space. */
  readonly words: readonly string[];
  /** The texts of the special tokens among them. */
  readonly bos: string;
  readonly eos: string;
  readonly pad: string;
}

/** A template that joins messages by spaces; an assistant's message ends with the end mark. It adds no beginning of a prompt. */
const CHAT_TEMPLATE =
  "{% for message in messages %}{{ message.content }}{% if message.role == 'assistant' %} {{ eos_token }}{% endif %}" +
  '{% if not loop.last %} {% endif %}{% endfor %}';

/**
 * `tokenizer.json` and `tokenizer_config.json` in which a word's id is its place in the list. Text is split at whitespace, and decoding
 * puts spaces between tokens, as both of Hugging Face's engines do without a decoder. A word that is no token becomes padding.
 */
export function wordTokenizerFiles({ words, bos, eos, pad }: WordVocabulary): {
  tokenizerJson: object;
  tokenizerConfig: object;
} {
  const marks = new Set([bos, eos, pad]);
  const addedTokens = words.flatMap((content, id) =>
    marks.has(content)
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
      : [],
  );
  return {
    tokenizerJson: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: addedTokens,
      normalizer: null,
      pre_tokenizer: { type: 'WhitespaceSplit' },
      post_processor: null,
      decoder: null,
      model: {
        type: 'WordLevel',
        vocab: Object.fromEntries(words.map((word, id) => [word, id])),
        unk_token: pad,
      },
    },
    tokenizerConfig: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      bos_token: bos,
      eos_token: eos,
      pad_token: pad,
      unk_token: pad,
      clean_up_tokenization_spaces: false,
      model_max_length: 2048,
      chat_template: CHAT_TEMPLATE,
    },
  };
}
