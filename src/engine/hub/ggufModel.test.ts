import { describe, expect, test } from 'vitest';
import {
  ARRAY,
  FLOAT32,
  ggufBytes,
  INT32,
  TEXT,
  tinyGguf,
  UINT32,
  type GgufEntry,
  type GgufItem,
  type GgufSpec,
} from '../testing/ggufBytes.ts';
import { loadModel } from './load.ts';
import { OpenFolder } from './openFolder.ts';
import { ModelFileError } from './types.ts';
import { filesInMemory } from './sources.ts';

/** The tiny file with values put in place of others, or taken out where there is no other. */
function withValues(
  values: Readonly<Record<string, readonly [type: number, value: GgufItem] | null>>,
): GgufSpec {
  const spec = tinyGguf();
  const kept = spec.values.filter(({ key }) => !Object.hasOwn(values, key));
  const put = Object.entries(values).flatMap(([key, value]): GgufEntry[] =>
    value === null ? [] : [{ key, type: value[0], value: value[1] }],
  );
  return { ...spec, values: [...kept, ...put] };
}

const folderOf = (bytes: Uint8Array) => filesInMemory('a.gguf', new Map([['a.gguf', bytes]]));

async function refusal(spec: GgufSpec | Uint8Array): Promise<string> {
  try {
    const bytes = spec instanceof Uint8Array ? spec : ggufBytes(spec);
    await loadModel(folderOf(bytes));
  } catch (error) {
    if (error instanceof ModelFileError) return error.message;
    throw error;
  }
  throw new Error('It was not refused.');
}

const configOf = async (spec: GgufSpec) => (await loadedOf(spec)).config;
const loadedOf = async (spec: GgufSpec) => loadModel(folderOf(ggufBytes(spec)));

test('a whole model is read: config, tokens, ends and template', async () => {
  const model = await loadedOf(tinyGguf());
  expect(model.config).toMatchObject({
    modelType: 'llama',
    vocabSize: 8,
    hiddenSize: 32,
    layers: 1,
    heads: 4,
    kvHeads: 4,
    headDim: 8,
    mlpSize: 64,
    rmsEps: 1e-5,
    attention: [{ window: null, rope: { theta: 500_000, scaling: null } }],
    maxPositions: 64,
    tiedHead: true,
  });
  expect(model.stopTokenIds).toEqual([0]);
  expect(model.tokenizer.encode('ab a<|im_end|>')).toEqual([3, 4, 1, 0]);
  expect(model.tokenizer.promptIds([{ role: 'user', content: 'ab' }])).toEqual([3]);
  expect([...model.sideFiles.keys()]).toEqual([
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'generation_config.json',
  ]);
  expect(model.weights.get('model.layers.0.mlp.down_proj.weight')).toMatchObject({
    shape: [32, 64],
    dtype: 'Q8_0',
  });
});

test('version 2 is read alike, and an alignment of its own', async () => {
  expect(await configOf({ ...tinyGguf(), version: 2 })).toEqual(await configOf(tinyGguf()));
  const aligned = { ...withValues({ 'general.alignment': [UINT32, 16] }), alignment: 16 };
  expect(await configOf(aligned)).toEqual(await configOf(tinyGguf()));
});

test('RoPE’s factors of Llama 3 are found again', async () => {
  const spec = tinyGguf();
  const place = spec.dataBytes;
  const bytes = ggufBytes({
    ...spec,
    tensors: [...spec.tensors, { name: 'rope_freqs.weight', extents: [4], type: 0, offset: place }],
    dataBytes: place + 32,
  });
  // Base 500,000 and heads of 8: the turns in 64 positions are 10.2, 0.383, 0.0144 and 0.00054, so all but the first are divided by 8.
  new Float32Array(bytes.buffer, bytes.length - 32, 4).set([1, 8, 8, 8]);
  const { config } = await loadModel(folderOf(bytes));
  expect(config.attention[0]?.rope?.scaling).toMatchObject({
    type: 'llama3',
    factor: 8,
    lowFreqFactor: 1,
    highFreqFactor: 4,
  });
  new Float32Array(bytes.buffer, bytes.length - 32, 4).set([1, 3, 8, 2]);
  expect(await refusal(bytes)).toContain('rope_freqs.weight divides RoPE');
});

describe('in a folder', () => {
  const gguf = ggufBytes(tinyGguf());
  const text = (content: object) => new TextEncoder().encode(JSON.stringify(content));

  test('the file is the model, once its header is read, and its texts are among the names', async () => {
    const reads: number[] = [];
    const folder = new OpenFolder({
      label: 'folder',
      names: ['README.md', 'a.gguf'],
      open: (name) =>
        Promise.resolve(
          name !== 'a.gguf'
            ? null
            : {
                size: gguf.length,
                read: (begin, end) =>
                  Promise.resolve(gguf.subarray(begin, end)).finally(() => reads.push(begin)),
              },
        ),
    });
    expect(folder.names).toContain('tokenizer.json');
    const model = await loadModel(OpenFolder.of(folder));
    expect(model.gguf?.size).toBe(gguf.length);
    expect([...model.sideFiles.keys()].sort()).toEqual([
      'config.json',
      'generation_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect(reads.filter((begin) => begin === 0)).toHaveLength(1);
  });

  test('its own texts come first, and the file has the weights', async () => {
    const { sideFiles } = await loadModel(folderOf(gguf));
    const files = new Map([...sideFiles, ['base.gguf', gguf] as const]);
    files.set('generation_config.json', text({ eos_token_id: [1, 0] }));
    const model = await loadModel(filesInMemory('folder', files));
    expect(model.stopTokenIds).toEqual([1, 0]);
    expect(model.gguf?.size).toBe(gguf.length);
  });

  test('beside other weights, or another such file, it is none of the model’s', async () => {
    for (const other of ['model.safetensors', 'b.gguf']) {
      const files = filesInMemory('folder', new Map([['a.gguf', gguf], [other, gguf] as const]));
      await expect(loadModel(files)).rejects.toThrow('folder: config.json is missing');
    }
  });
});

test('rows of queries and keys are put in halves, and no others are moved', async () => {
  const spec = tinyGguf();
  const bytes = ggufBytes(spec);
  const start = bytes.length - spec.dataBytes;
  // A row of 32 numbers is one block; its first code tells its number.
  for (const { name, offset, extents } of spec.tensors)
    if (/attn_[qv]/.test(name))
      for (let row = 0; row < (extents[1] ?? 0); row++) bytes[start + offset + 34 * row + 2] = row;
  const { weights } = await loadModel(folderOf(bytes));
  const rowsOf = async (name: string, begin: number, end: number) => {
    const read = await weights.get(`model.layers.0.self_attn.${name}.weight`)?.read(begin * 34, end * 34);
    return Array.from({ length: end - begin }, (_, i) => read?.[34 * i + 2]);
  };
  expect(await rowsOf('q_proj', 0, 8)).toEqual([0, 2, 4, 6, 1, 3, 5, 7]);
  // A piece in the middle of heads.
  expect(await rowsOf('q_proj', 6, 11)).toEqual([5, 7, 8, 10, 12]);
  expect(await rowsOf('v_proj', 0, 4)).toEqual([0, 1, 2, 3]);
});

describe('SentencePiece', () => {
  const tokens = ['<unk>', '<s>', '</s>', '<0x41>', '▁', 'a', 'b', 'ab'];
  const spec = (more: Parameters<typeof withValues>[0] = {}): GgufSpec =>
    withValues({
      'tokenizer.ggml.model': [TEXT, 'llama'],
      'tokenizer.ggml.pre': null,
      'tokenizer.ggml.merges': null,
      'tokenizer.ggml.eos_token_id': [UINT32, 2],
      'tokenizer.ggml.tokens': [ARRAY, { type: TEXT, items: tokens }],
      'tokenizer.ggml.token_type': [ARRAY, { type: INT32, items: [2, 3, 3, 6, 1, 1, 1, 1] }],
      'tokenizer.ggml.scores': [ARRAY, { type: FLOAT32, items: [0, 0, 0, 0, -3, -4, -5, -1] }],
      ...more,
    });

  test('scores become merges, bytes stand for what has no token, and a space comes first', async () => {
    const { tokenizer, stopTokenIds } = await loadedOf(spec());
    expect(tokenizer.encode('ab aA')).toEqual([4, 7, 4, 5, 3]);
    expect(tokenizer.decode([4, 7, 4, 5, 3])).toBe('ab aA');
    expect([tokenizer.bosTokenId, stopTokenIds]).toEqual([1, [2]]);
  });

  test('the space before a text is left out where the file says so', async () => {
    const { tokenizer } = await loadedOf(spec({ 'tokenizer.ggml.add_space_prefix': [7, false] }));
    expect(tokenizer.encode('ab a')).toEqual([7, 4, 5]);
  });

  test('without scores it is refused', async () => {
    expect(await refusal(spec({ 'tokenizer.ggml.scores': null }))).toContain('scores is missing');
  });
});

describe('what is refused says what was found', () => {
  const tiny = tinyGguf();
  const [first, ...others] = tiny.tensors;
  if (first === undefined) throw new Error('There are tensors.');
  const texts = (...items: string[]): readonly [number, GgufItem] => [ARRAY, { type: TEXT, items }];
  const cases: readonly (readonly [what: string, spec: GgufSpec | Uint8Array, found: string])[] = [
    ['nothing', new Uint8Array(), 'the beginning needs 4 bytes'],
    ['another file', { ...tiny, magic: 'GGML' }, 'does not begin with "GGUF"'],
    ['version 1', { ...tiny, version: 1 }, 'version 1 of GGUF; supported are 2 and 3'],
    ['big-endian', { ...tiny, version: 3 * 2 ** 24 }, 'big-endian'],
    [
      'a count of tensors',
      { ...tiny, tensorCount: 2 ** 50 },
      'the number of tensors, 1125899906842624, needs',
    ],
    ['a count beyond 2^53', { ...tiny, tensorCount: 2 ** 60 }, 'which no file reaches'],
    ['a count of values', { ...tiny, valueCount: 10_000 }, 'the number of metadata values, 10000, needs'],
    ['a truncated file', ggufBytes(tiny).subarray(0, -1000), 'The file is truncated'],
    ['a key twice', { ...tiny, values: [...tiny.values, ...tiny.values] }, 'is there twice'],
    ['an unknown type', withValues({ x: [13, 1] }), 'x is of type 13'],
    [
      'a list that is too long',
      withValues({ x: [ARRAY, { type: 0, items: [], count: 2 ** 40 }] }),
      'items of x',
    ],
    [
      'lists in lists',
      withValues({
        x: [
          ARRAY,
          Array.from({ length: 6 }).reduce<GgufItem>((item) => ({ type: ARRAY, items: [item] }), {
            type: 0,
            items: [],
          }),
        ],
      }),
      'lists in lists, 5 deep',
    ],
    ['an odd alignment', withValues({ 'general.alignment': [UINT32, 24] }), 'general.alignment is 24'],
    ['a tensor twice', { ...tiny, tensors: [first, first, ...others] }, 'is there twice'],
    [
      'a tensor type',
      { ...tiny, tensors: [{ ...first, type: 16 }, ...others] },
      'stored as IQ2_XXS; supported are F32',
    ],
    [
      'an unknown tensor type',
      { ...tiny, tensors: [{ ...first, type: 99 }, ...others] },
      'type 99, which is none',
    ],
    [
      'a piece of a block',
      { ...tiny, tensors: [{ ...first, extents: [31, 8] }, ...others] },
      'rows of whole blocks',
    ],
    ['no extent', { ...tiny, tensors: [{ ...first, extents: [] }, ...others] }, 'has 0 extents'],
    [
      'huge extents',
      { ...tiny, tensors: [{ ...first, extents: [2 ** 40, 2 ** 40] }, ...others] },
      'larger than any file',
    ],
    ['an overlap', { ...tiny, tensors: [first, { ...first, name: 'x' }, ...others] }, 'they overlap'],
    ['a place between', { ...tiny, tensors: [{ ...first, offset: 1 }, ...others] }, 'no multiple of 32'],
    ['a place beyond', { ...tiny, tensors: [{ ...first, offset: 2 ** 40 }, ...others] }, 'and the file has'],
    ['a part of a model', withValues({ 'split.count': [2, 3], 'split.no': [2, 0] }), 'part 1 of 3'],
    ['an adapter', withValues({ 'general.type': [TEXT, 'adapter'] }), 'a LoRA adapter'],
    ['a mixture of experts', withValues({ 'llama.expert_count': [UINT32, 8] }), 'mixture of 8 experts'],
    [
      'another architecture',
      withValues({ 'general.architecture': [TEXT, 'mamba'] }),
      'needs layers with a state; supported are llama',
    ],
    ['no architecture', withValues({ 'general.architecture': null }), 'general.architecture is missing'],
    [
      'a width that is missing',
      withValues({ 'llama.embedding_length': null }),
      'llama.embedding_length is missing',
    ],
    ['a width that is a text', withValues({ 'llama.embedding_length': [TEXT, 'x'] }), 'a number is needed'],
    [
      'layers of several widths',
      withValues({ 'llama.feed_forward_length': [ARRAY, { type: UINT32, items: [64, 32] }] }),
      'differs from layer to layer',
    ],
    ['too many layers', withValues({ 'llama.block_count': [UINT32, 2 ** 31] }), 'block_count is 2147483648'],
    ['an unknown cut', withValues({ 'tokenizer.ggml.pre': [TEXT, 'viking'] }), 'known are llama3'],
    [
      'another tokenizer',
      withValues({ 'tokenizer.ggml.model': [TEXT, 'bert'] }),
      'is "bert"; supported are gpt2',
    ],
    ['no vocabulary', withValues({ 'tokenizer.ggml.tokens': null }), 'has no vocabulary'],
    [
      'a token twice',
      withValues({ 'tokenizer.ggml.tokens': texts('a', 'b', 'a', 'c', 'd') }),
      'are both "a"',
    ],
    [
      'too many tokens',
      withValues({ 'tokenizer.ggml.tokens': texts(...'abcdefghi') }),
      '9 tokens, and the embedding 8 rows',
    ],
    [
      'types for others',
      withValues({ 'tokenizer.ggml.token_type': [ARRAY, { type: INT32, items: [1] }] }),
      '1 numbers for 5 tokens',
    ],
    [
      'an end that is no token',
      withValues({ 'tokenizer.ggml.eos_token_id': [UINT32, 77] }),
      'eos_token_id is 77',
    ],
    [
      'a merge of no tokens',
      withValues({ 'tokenizer.ggml.merges': texts('a z') }),
      'needs "z" in the vocabulary',
    ],
  ];
  test.each(cases)('%s', async (_, spec, found) => {
    expect(await refusal(spec)).toContain(found);
  });

  test('a tensor that the architecture does not have', async () => {
    const at = tiny.dataBytes;
    const more = { name: 'blk.0.ffn_up_exps.weight', extents: [32], type: 0, offset: at };
    expect(await refusal({ ...tiny, tensors: [...tiny.tensors, more], dataBytes: at + 128 })).toContain(
      'the model needs a mixture of experts',
    );
  });

  test('a scale that is not finite', async () => {
    const bytes = ggufBytes(tiny);
    bytes.set([0x00, 0x7c], bytes.length - tiny.dataBytes);
    expect(await refusal(bytes)).toContain('holds 32 values of 256 that are NaN or infinite');
  });
});
