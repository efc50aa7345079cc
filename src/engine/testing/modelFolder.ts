/** A tiny model folder in Hugging Face layout, made on the spot, for tests of loading and checkpoints. */
import { parseModelConfig } from '../model/config.ts';
import { huggingFaceSpecs } from '../model/parameters.ts';
import { writeSafetensors } from '../hub/safetensors.ts';

export const tinyConfigJson = {
  model_type: 'llama',
  vocab_size: 20,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  intermediate_size: 12,
  tie_word_embeddings: true,
  eos_token_id: 1,
};

/**
 * A tokenizer with these ids: `<bos>` 0, `<eos>` 1, `<unk>` 2, digits 3-12, `+` 13, `=` 14, ` ` 15, and the added token `[ANSWER] ` 16.
 */
export const tinyTokenizerJson = {
  version: '1.0',
  added_tokens: [
    ...['<bos>', '<eos>', '<unk>'].map((content, id) => ({ id, content, special: true, normalized: false })),
    { id: 16, content: '[ANSWER] ', special: false, normalized: false, lstrip: false, rstrip: false },
  ],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: { type: 'Fuse' },
  model: {
    type: 'BPE',
    unk_token: '<unk>',
    fuse_unk: false,
    vocab: Object.fromEntries(
      ['<bos>', '<eos>', '<unk>', ...'0123456789+=\n'].map((token, id) => [token, id]),
    ),
    merges: [],
  },
};

export const tinyTokenizerConfig = {
  bos_token: '<bos>',
  eos_token: '<eos>',
  unk_token: '<unk>',
  clean_up_tokenization_spaces: false,
  chat_template: "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ '\\n' }}{% endfor %}",
};

/** JSON as the bytes of a file. */
export function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Weights with the shapes of `configJson`; every value differs from its neighbours. */
export function tinyTensors(
  configJson: object = tinyConfigJson,
  salt = 0,
): Map<string, { shape: number[]; data: Float32Array }> {
  const specs = huggingFaceSpecs(parseModelConfig(configJson));
  return new Map(
    specs.map((spec, index) => {
      const size = spec.shape.reduce((product, extent) => product * extent, 1);
      const data = Float32Array.from({ length: size }, (_, i) => Math.sin(1 + i * 1.7 + index * 0.31 + salt));
      return [spec.name, { shape: [...spec.shape], data }];
    }),
  );
}

export function tinyModelFolder(configJson: object = tinyConfigJson): Map<string, Uint8Array> {
  return new Map([
    ['config.json', jsonBytes(configJson)],
    ['model.safetensors', writeSafetensors(tinyTensors(configJson), { metadata: { format: 'pt' } })],
    ['tokenizer.json', jsonBytes(tinyTokenizerJson)],
    ['tokenizer_config.json', jsonBytes(tinyTokenizerConfig)],
    ['generation_config.json', jsonBytes({ eos_token_id: [1, 15] })],
  ]);
}
