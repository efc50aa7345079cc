/** A tokenizer in the metadata of a GGUF: byte-level BPE, which llama.cpp calls gpt2. */
import { z } from 'zod';
import { parseJsonObject } from '../readFile.ts';
import { ModelFileError, type LoadedModel } from '../types.ts';
import type { GgufValue } from './ggufFile.ts';

const schema = z.looseObject({
  model: z.looseObject({
    type: z.literal('BPE'),
    vocab: z.record(z.string(), z.number().int()),
    merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
    byte_fallback: z.boolean().nullish(),
  }),
  added_tokens: z
    .array(z.looseObject({ id: z.number().int(), content: z.string(), special: z.boolean() }))
    .default([]),
  pre_tokenizer: z.unknown(),
});

const NORMAL = 1;
const CONTROL = 3;
const USER_DEFINED = 4;
const UNUSED = 5;

/** llama.cpp's name of a way to cut texts, by what tells it from the others in `pre_tokenizer`. */
function cutsOf(preTokenizer: string): string | null {
  if (!preTokenizer.includes('ByteLevel')) return null;
  if (preTokenizer.includes('\\\\p{N}{1,3}')) return 'llama-bpe';
  if (preTokenizer.includes('|\\\\p{N}|')) return 'qwen2';
  return preTokenizer.includes('"Digits"') ? 'smollm' : null;
}

/** @throws ModelFileError where llama.cpp has no way to cut texts as this tokenizer does. */
export function tokenizerValues(model: LoadedModel): Map<string, GgufValue> {
  const bytes = model.sideFiles.get('tokenizer.json');
  const json = bytes && parseJsonObject(bytes, 'tokenizer.json', model.name);
  const parsed = schema.safeParse(json);
  const pre = parsed.success ? cutsOf(JSON.stringify(parsed.data.pre_tokenizer)) : null;
  if (!parsed.success || pre === null)
    throw new ModelFileError(
      `${model.name}: GGUF is written for tokenizers of byte-level BPE that cut texts as those of Llama 3, Qwen and SmolLM2, which this one is not. Export the merged model and convert it with llama.cpp's convert_hf_to_gguf.py.`,
    );
  const { vocab, merges } = parsed.data.model;
  const { vocabSize } = model.config;
  const tokens = Array.from({ length: vocabSize }, (_, id) => `[PAD${id}]`);
  const types = Array.from({ length: vocabSize }, () => UNUSED);
  for (const [token, id] of Object.entries(vocab)) {
    tokens[id] = token;
    types[id] = NORMAL;
  }
  for (const { id, content, special } of parsed.data.added_tokens) {
    tokens[id] = content;
    types[id] = special ? CONTROL : USER_DEFINED;
  }
  const { tokenizer, stopTokenIds } = model;
  return new Map<string, GgufValue>([
    ['tokenizer.ggml.model', { text: 'gpt2' }],
    ['tokenizer.ggml.pre', { text: pre }],
    ['tokenizer.ggml.tokens', { texts: tokens }],
    ['tokenizer.ggml.token_type', { int32s: types }],
    [
      'tokenizer.ggml.merges',
      { texts: merges.map((pair) => (typeof pair === 'string' ? pair : pair.join(' '))) },
    ],
    ['tokenizer.ggml.eos_token_id', { uint32: stopTokenIds[0] ?? tokenizer.eosTokenId }],
    ['tokenizer.ggml.padding_token_id', { uint32: tokenizer.padTokenId }],
    ...bosValues(model),
    ...templateValues(model),
  ]);
}

/** Templates write their start token themselves. */
function bosValues({ tokenizer: { bosTokenId } }: LoadedModel): [string, GgufValue][] {
  const add: [string, GgufValue] = ['tokenizer.ggml.add_bos_token', { bool: false }];
  return bosTokenId === null ? [add] : [['tokenizer.ggml.bos_token_id', { uint32: bosTokenId }], add];
}

const templateSchema = z.looseObject({ chat_template: z.string().nullish() });

function templateValues({ name, sideFiles }: LoadedModel): [string, GgufValue][] {
  const file = sideFiles.get('chat_template.jinja');
  const config = sideFiles.get('tokenizer_config.json');
  const within = config && templateSchema.safeParse(parseJsonObject(config, 'tokenizer_config.json', name));
  const text = file ? new TextDecoder().decode(file) : within?.data?.chat_template;
  return text == null ? [] : [['tokenizer.chat_template', { text }]];
}
