/** The metadata of a GGUF for a tokenizer: byte-level BPE, which llama.cpp calls gpt2, or SentencePiece's BPE, which it calls llama. */
import { z } from 'zod';
import { parseJsonObject, ModelFileError, type LoadedModel } from '@rl-playground/engine/parts';
import type { GgufValue } from './ggufFile.ts';
import { scoresOf } from './sentencePiece.ts';

const schema = z.looseObject({
  model: z.looseObject({
    type: z.literal('BPE'),
    vocab: z.record(z.string(), z.number().int()),
    merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
    byte_fallback: z.boolean().nullish(),
    ignore_merges: z.boolean().nullish(),
    unk_token: z.string().nullish(),
  }),
  added_tokens: z
    .array(z.looseObject({ id: z.number().int(), content: z.string(), special: z.boolean() }))
    .default([]),
  normalizer: z.unknown(),
  pre_tokenizer: z.unknown(),
  post_processor: z.unknown(),
});
type TokenizerJson = z.infer<typeof schema>;

/** The types of tokens in llama.cpp. */
const TYPES = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

/** llama.cpp's name of a way to cut texts, by a part of `pre_tokenizer` that only this way has. */
function cutsOf(preTokenizer: string, ignoresMerges: boolean): string | null {
  if (!preTokenizer.includes('ByteLevel')) return null;
  // Both cut as Llama 3 does, and the first takes a word whole that is a token.
  if (preTokenizer.includes('\\\\p{N}{1,3}')) return ignoresMerges ? 'llama-bpe' : 'smaug-bpe';
  if (preTokenizer.includes('|\\\\p{N}|')) return 'qwen2';
  if (preTokenizer.includes('"Digits"')) return 'smollm';
  return gpt2Cuts.safeParse(JSON.parse(preTokenizer)).success ? 'gpt-2' : null;
}

const byWords = z.object({
  type: z.literal('ByteLevel'),
  add_prefix_space: z.literal(false),
  use_regex: z.literal(true).optional(),
  trim_offsets: z.boolean().optional(),
});
/** GPT-2's own way, alone. */
const gpt2Cuts = z.union([
  byWords,
  z.object({ type: z.literal('Sequence'), pretokenizers: z.tuple([byWords]) }),
]);

const pairOf = (merge: string | readonly [string, string]): readonly [string, string] => {
  if (typeof merge !== 'string') return merge;
  const [left = '', right = ''] = merge.split(' ');
  return [left, right];
};

type Entry = [string, GgufValue];
type Values = readonly (readonly [string, GgufValue])[];

function byteLevelValues({ model, pre_tokenizer: preTokenizer }: TokenizerJson): Values | null {
  const pre = cutsOf(JSON.stringify(preTokenizer) ?? '', model.ignore_merges === true);
  if (pre === null) return null;
  return [
    ['tokenizer.ggml.model', { text: 'gpt2' }],
    ['tokenizer.ggml.pre', { text: pre }],
    ['tokenizer.ggml.merges', { texts: model.merges.map((merge) => pairOf(merge).join(' ')) }],
  ];
}

const SPACES = [{ type: 'Replace', pattern: { String: ' ' }, content: '▁' }] as const;
/** The normalizer of old tokenizers, which put a space before each stretch of text between special tokens. */
const PREPENDS = { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, ...SPACES] };
/** Gemma's: every space is marked, and cutting at spaces then finds none. */
const marksAlone = z.object({
  normalizer: z.object({
    type: z.literal('Replace'),
    pattern: z.object({ String: z.literal(' ') }),
    content: z.literal('▁'),
  }),
  preTokenizer: z
    .object({ type: z.literal('Split'), pattern: z.object({ String: z.literal(' ') }) })
    .nullish(),
});
const metaspace = z.object({
  type: z.literal('Metaspace'),
  replacement: z.literal('▁'),
  prepend_scheme: z.enum(['first', 'never']),
  split: z.literal(false),
});

/**
 * True if a space comes before each text behind a special token; null for any other rule. If the beginning alone has one (`first`), there is
 * none behind the special token at the beginning of prompts.
 */
function prependsSpace({ normalizer, pre_tokenizer: preTokenizer }: TokenizerJson): boolean | null {
  if (marksAlone.safeParse({ normalizer, preTokenizer }).success) return false;
  if (preTokenizer == null) return JSON.stringify(normalizer) === JSON.stringify(PREPENDS) ? true : null;
  return normalizer == null && metaspace.safeParse(preTokenizer).success ? false : null;
}

const BYTES = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);

function sentencePieceValues(json: TokenizerJson, vocabSize: number): Values | null {
  const { vocab, merges, byte_fallback: fallsBack, ignore_merges: ignoresMerges } = json.model;
  const prepends = prependsSpace(json);
  if (prepends === null || fallsBack !== true || ignoresMerges === true) return null;
  if (!BYTES.every((token) => Object.hasOwn(vocab, token))) return null;
  const apart = new Set([...BYTES, ...json.added_tokens.map(({ content }) => content)]);
  const scores = scoresOf({ vocab, merges: merges.map(pairOf) }, apart);
  if (scores === null) return null;
  return [
    ['tokenizer.ggml.model', { text: 'llama' }],
    ['tokenizer.ggml.pre', { text: 'default' }],
    [
      'tokenizer.ggml.scores',
      { float32s: Array.from({ length: vocabSize }, (_, id) => scores.get(id) ?? 0) },
    ],
    ['tokenizer.ggml.add_space_prefix', { bool: prepends }],
  ];
}

/** The tokens of a tokenizer and their types. Rows of the embedding without a token are unused. */
function tokenValues({ model, added_tokens: added }: TokenizerJson, vocabSize: number): Values {
  const { vocab, byte_fallback: fallsBack, unk_token: unknown } = model;
  const tokens = Array.from({ length: vocabSize }, (_, id) => `[PAD${id}]`);
  const types: number[] = Array.from({ length: vocabSize }, () => TYPES.unused);
  const bytes = new Set(fallsBack === true ? BYTES : []);
  for (const [token, id] of Object.entries(vocab)) {
    tokens[id] = token;
    types[id] = bytes.has(token) ? TYPES.byte : TYPES.normal;
  }
  for (const { id, content, special } of added) {
    tokens[id] = content;
    types[id] =
      fallsBack === true && content === unknown ? TYPES.unknown : special ? TYPES.control : TYPES.userDefined;
  }
  return [
    ['tokenizer.ggml.tokens', { texts: tokens }],
    ['tokenizer.ggml.token_type', { int32s: types }],
  ];
}

/** @throws ModelFileError if llama.cpp has no way to cut texts as this tokenizer does. */
export function tokenizerValues(model: LoadedModel): Map<string, GgufValue> {
  const bytes = model.sideFiles.get('tokenizer.json');
  const json = bytes && parseJsonObject(bytes, 'tokenizer.json', model.name);
  const { data } = schema.safeParse(json);
  const { config } = model;
  const cut = data && (byteLevelValues(data) ?? sentencePieceValues(data, config.vocabSize));
  if (!data || !cut)
    throw new ModelFileError(
      `${model.name}: GGUF is written for tokenizers of byte-level BPE that cut texts as those of GPT-2, Llama 3, Qwen and SmolLM2, and for those of SentencePiece's BPE as of Llama 2, Mistral and Gemma, which this one is not. Export the merged model and convert it with llama.cpp's convert_hf_to_gguf.py.`,
    );
  return new Map<string, GgufValue>([
    ...cut,
    ...tokenValues(data, config.vocabSize),
    ...specialValues(model, data),
    ...templateValues(model),
  ]);
}

const textSchema = z.looseObject({
  type: z.literal('TemplateProcessing'),
  single: z.array(z.looseObject({ SpecialToken: z.looseObject({ id: z.string() }).optional() })),
});
const sequenceSchema = z.looseObject({ type: z.literal('Sequence'), processors: z.array(z.unknown()) });
const addSchema = z.looseObject({
  add_bos_token: z.boolean().nullish().catch(null),
  add_eos_token: z.boolean().nullish().catch(null),
});

/** The special tokens, or null for text, that the post-processor puts around one text, in order. */
function aroundText(processor: unknown): readonly (string | null)[] {
  const sequence = sequenceSchema.safeParse(processor).data;
  if (sequence) return sequence.processors.map(aroundText).find((found) => found.length > 0) ?? [];
  const template = textSchema.safeParse(processor).data;
  return template?.single.map(({ SpecialToken: token }) => token?.id ?? null) ?? [];
}

/**
 * The special tokens of texts, and which of them a text gets by itself, found as llama.cpp's converter does: the post-processor says it, and
 * tokenizer_config.json has the last word. A further stop token of the model is the end of a turn.
 */
function specialValues(model: LoadedModel, json: TokenizerJson): Entry[] {
  const { tokenizer, stopTokenIds, sideFiles, name } = model;
  const bytes = sideFiles.get('tokenizer_config.json');
  const config = bytes && addSchema.parse(parseJsonObject(bytes, 'tokenizer_config.json', name));
  const around = aroundText(json.post_processor);
  const { bosTokenId: bos, eosTokenId: eos, padTokenId: pad } = tokenizer;
  const contentOf = (wanted: number | null): string | undefined =>
    json.added_tokens.find(({ id }) => id === wanted)?.content;
  const isToken = (found: string | null | undefined, id: number | null): boolean =>
    found != null && found === contentOf(id);
  const turn = stopTokenIds.find((id) => id !== eos);
  const { vocab, byte_fallback: fallsBack, unk_token: unknownToken } = json.model;
  const unknown = fallsBack === true && unknownToken != null ? vocab[unknownToken] : undefined;
  return [
    ['tokenizer.ggml.eos_token_id', { uint32: eos }],
    ...(turn === undefined ? [] : [['tokenizer.ggml.eot_token_id', { uint32: turn }] satisfies Entry]),
    ['tokenizer.ggml.padding_token_id', { uint32: pad }],
    ...(bos === null ? [] : [['tokenizer.ggml.bos_token_id', { uint32: bos }] satisfies Entry]),
    ...(unknown === undefined
      ? []
      : [['tokenizer.ggml.unknown_token_id', { uint32: unknown }] satisfies Entry]),
    ['tokenizer.ggml.add_bos_token', { bool: config?.add_bos_token ?? isToken(around[0], bos) }],
    ['tokenizer.ggml.add_eos_token', { bool: config?.add_eos_token ?? isToken(around.at(-1), eos) }],
  ];
}

const templateSchema = z.looseObject({ chat_template: z.string().nullish() });

function templateValues({ name, sideFiles }: LoadedModel): [string, GgufValue][] {
  const file = sideFiles.get('chat_template.jinja');
  const config = sideFiles.get('tokenizer_config.json');
  const within = config && templateSchema.safeParse(parseJsonObject(config, 'tokenizer_config.json', name));
  const text = file ? new TextDecoder().decode(file) : within?.data?.chat_template;
  return text == null ? [] : [['tokenizer.chat_template', { text }]];
}
