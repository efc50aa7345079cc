/** A model's files: safetensors, GGUF, zips, config.json, tokenizers and chat templates. */
import { deflateSync } from 'fflate';
import {
  crc32,
  loadModel,
  contentOf,
  openBytes,
  openSafetensors,
  parseSafetensors,
  writeSafetensors,
  filesInMemory,
  createTextCodec,
  createTokenizer,
  type TokenizerFiles,
  ModelFileError,
  filesInFile,
  filesInZip,
} from '@rl-playground/engine/parts';
import { pick, uniformInt } from '@rl-playground/base/random';
import { ggufBytes, tinyGguf, type GgufSpec } from '@rl-playground/engine/testing/ggufBytes';
import { looseZip, type LooseFile } from '@rl-playground/engine/testing/looseZip';
import {
  tinyConfigJson,
  tinyModelFolder,
  tinyTensors,
  tinyTokenizerConfig,
  tinyTokenizerJson,
} from '@rl-playground/engine/testing/modelFolder';
import { byteLevelTokenizer, sentencePieceTokenizer } from '@rl-playground/engine/testing/smallTokenizers';
import type { ParserTarget } from './harness.ts';
import { count, mutatedBytes, mutatedJson, mutatedText, type Draw } from './mutate.ts';

const utf8 = new TextEncoder();

/** Does the work, and returns true if it was done; errors written for the user are refusals. */
export async function refusable(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof ModelFileError) return false;
    throw error;
  }
}

const WEIGHTS = writeSafetensors(new Map([...tinyTensors()].slice(0, 3)));

/** A container whose header is changed, and whose length or data may be another. */
function safetensors(draw: Draw): Uint8Array {
  if (draw() < 0.3) return mutatedBytes(draw, WEIGHTS);
  const length = Number(new DataView(WEIGHTS.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(WEIGHTS.subarray(8, 8 + length))) as object;
  const text = utf8.encode(mutatedJson(draw, header));
  const data = WEIGHTS.subarray(8 + length);
  const bytes = new Uint8Array(8 + text.length + data.length);
  const said = draw() < 0.9 ? BigInt(text.length) : BigInt(pick(draw, [0, 1, 2 ** 31, 2 ** 40, 2 ** 53]));
  new DataView(bytes.buffer).setBigUint64(0, said, true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

const NAMES = [
  'config.json',
  'a/b.txt',
  '../x',
  '/x',
  'a\\b',
  'C:x',
  'a',
  'a',
  '.',
  '',
  'é',
  '__MACOSX/x',
  'dir/',
];

function zip(draw: Draw): Uint8Array {
  const content = utf8.encode('{"a":1}'.repeat(count(draw, 20_000)));
  const packed = deflateSync(content);
  const lie = (value: number): number =>
    draw() < 0.85 ? value : pick(draw, [0, 1, value + 1, 2 ** 31, 2 ** 32 - 1]);
  const file = (i: number): LooseFile => {
    const method = draw() < 0.5 ? 8 : draw() < 0.95 ? 0 : 12;
    const said = draw() < 0.1 ? { size: lie(content.length), flags: pick(draw, [0, 1, 8, 9]) } : {};
    return {
      name: draw() < 0.7 ? `file${i}` : pick(draw, NAMES),
      bytes: method === 8 ? packed : content,
      method,
      size: lie(content.length),
      sum: lie(crc32(content)),
      inHeader: said,
      ...(draw() < 0.1 && { at: uniformInt(draw, 0, 200) }),
    };
  };
  const bytes = looseZip(
    Array.from({ length: count(draw, 200) }, (_, i) => file(i)),
    ...(draw() < 0.1 ? [lie(9)] : []),
  );
  return draw() < 0.3 ? mutatedBytes(draw, bytes) : bytes;
}

const SHARDS = {
  metadata: {},
  weight_map: Object.fromEntries([...tinyTensors().keys()].map((name) => [name, 'a.safetensors'])),
};

/** A model folder with one of its small files changed. */
function folder(draw: Draw): Map<string, Uint8Array> {
  const files = tinyModelFolder();
  const kind = draw();
  if (kind < 0.6) files.set('config.json', utf8.encode(mutatedJson(draw, tinyConfigJson)));
  else if (kind < 0.8)
    files.set(
      'generation_config.json',
      utf8.encode(mutatedJson(draw, { eos_token_id: [1, 15], stop_strings: ['x'] })),
    );
  else {
    files.set('a.safetensors', files.get('model.safetensors') ?? WEIGHTS);
    files.delete('model.safetensors');
    files.set('model.safetensors.index.json', utf8.encode(mutatedJson(draw, SHARDS)));
  }
  return files;
}

const PATTERNS = [
  '\\p{L}+',
  '[^',
  '(',
  '\\p{Foo}',
  '(?<x>a)\\k<x>',
  '[[a-z]&&[^x]]',
  '(?i:a)',
  '\\s+(?!\\S)|\\s+',
  'a{1,99999}',
  '.',
];
const PARTS: readonly object[] = [
  { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true },
  { type: 'Split', pattern: { Regex: '\\p{N}' }, behavior: 'Isolated', invert: false },
  { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true },
  { type: 'Digits', individual_digits: true },
  { type: 'Replace', pattern: { String: ' ' }, content: '_' },
  { type: 'Prepend', prepend: '_' },
  { type: 'NFC' },
  { type: 'Strip', strip_left: true, strip_right: true, content: ' ', start: 1, stop: 0 },
  { type: 'ByteFallback' },
  { type: 'Precompiled', precompiled_charsmap: 'AAAA' },
  { type: 'TemplateProcessing', single: [], pair: [], special_tokens: {} },
];
const OTHER_MODELS: readonly object[] = [
  {
    type: 'Unigram',
    unk_id: 0,
    vocab: [
      ['<unk>', 0],
      ['a', -1],
      ['ab', -2],
      ['b', -3],
    ],
  },
  {
    type: 'WordPiece',
    unk_token: '<unk>',
    continuing_subword_prefix: '##',
    vocab: { '<unk>': 0, a: 1, '##b': 2 },
  },
];

function tokenizerFiles(draw: Draw): { tokenizerJson: string; tokenizerConfig: string } {
  const { tokenizerJson, tokenizerConfig } = pick<() => TokenizerFiles>(draw, [
    () => ({ tokenizerJson: tinyTokenizerJson, tokenizerConfig: tinyTokenizerConfig }),
    byteLevelTokenizer,
    sentencePieceTokenizer,
  ])();
  const json = structuredClone(tokenizerJson) as Record<string, unknown>;
  if (draw() < 0.5) {
    const split = {
      type: 'Split',
      pattern: { Regex: pick(draw, PATTERNS) },
      behavior: pick(draw, ['Isolated', 'Removed', 'x']),
      invert: draw() < 0.5,
    };
    const part = draw() < 0.4 ? split : pick(draw, PARTS);
    const place = pick(draw, ['pre_tokenizer', 'normalizer', 'decoder', 'post_processor'] as const);
    json[place] =
      draw() < 0.5
        ? part
        : {
            type: 'Sequence',
            [`${place}s`]: [part],
            decoders: [part],
            pretokenizers: [part],
            processors: [part],
          };
  }
  if (draw() < 0.1) json['model'] = pick(draw, OTHER_MODELS);
  const changed = draw();
  return {
    tokenizerJson: changed < 0.8 ? mutatedJson(draw, json) : JSON.stringify(json),
    tokenizerConfig: changed > 0.6 ? mutatedJson(draw, tokenizerConfig) : JSON.stringify(tokenizerConfig),
  };
}

const TEXTS = [
  '',
  '1+2=\n',
  "It's [ANSWER] <|im_start|>user é。漢字 \u0000\ufeff\ud800",
  'a'.repeat(300),
  ' \n\t'.repeat(50),
];

async function readTokenizer(files: { tokenizerJson: string; tokenizerConfig: string }): Promise<boolean> {
  let parsed: TokenizerFiles;
  try {
    parsed = {
      tokenizerJson: JSON.parse(files.tokenizerJson) as object,
      tokenizerConfig: JSON.parse(files.tokenizerConfig) as object,
      eosTokenId: 1,
    };
  } catch {
    return false;
  }
  return refusable(async () => {
    const tokenizer = createTokenizer(parsed);
    for (const text of TEXTS) tokenizer.decode(tokenizer.encode(text));
    tokenizer.decode([0, 3, 5, 99, 4]);
    await refusable(() => Promise.resolve(tokenizer.tokenBytes()));
    tokenizer.turnEnd();
    tokenizer.promptIds([{ role: 'user', content: '1+2=' }]);
  });
}

const PIECES = [
  '{% for m in messages %}',
  '{% endfor %}',
  '{% for i in range(9) %}',
  '{% for i in range(100000) %}',
  '{{ m.content }}',
  '{{ m }}',
  '{{ x }}',
  "{% set x = 'ab' %}",
  '{% set x = x ~ x %}',
  '{% set x = x + x %}',
  '{% set x = [x, x] %}',
  '{% set x = {"a": x, "b": x} %}',
  '{{ x | tojson }}',
  '{{ x | tojson(indent=x | length) }}',
  "{{ x | replace('', x) }}",
  "{{ x.replace('a', x) }}",
  '{{ x | indent(9999999) }}',
  '{{ [x] * 9 }}',
  '{% set n = namespace(a=1) %}',
  '{% set n.a = n %}',
  '{% set n.a = [n, n] %}',
  '{{ n }}',
  '{{ n | tojson }}',
  '{% if x %}',
  '{% else %}',
  '{% endif %}',
  '{% macro f(a) %}',
  '{% endmacro %}',
  '{{ f(x) }}',
  '{{ f(f(f(x))) }}',
  '{{ messages | join(x) }}',
  '{{ x | list | join(x) }}',
  "{{ x.split('') | join(x) }}",
  '{{ x[::-1] }}',
  '{{ x[0:999999999:0] }}',
  '{{ range(0, 1, 0.0000001) | length }}',
  '{{ x | upper | trim | title }}',
  '{{ x.strip(x) }}',
  "{{ strftime_now('%Y' * 9) }}",
  "{{ strftime_now('%Y%Y%Y') }}",
  '{{ 10 ** 99 }}',
  '{{ 1 / 0 }}',
  '{{ x | sort | unique | reverse }}',
  '{% break %}',
  '{% continue %}',
  '{% call f() %}',
  '{% endcall %}',
  '{% filter indent(99) %}',
  '{% endfilter %}',
  '{{ raise_exception(x) }}',
  '{# ',
  ' #}',
  '{{',
  '}}',
  '{%',
  '%}',
  '{%- generation -%}',
  '{{ x is defined }}',
  "{{ messages | selectattr('role', 'equalto', 'user') | list }}",
  "{{ messages | map(attribute='content') | list }}",
  '{{ __proto__ }}',
  '{{ x.constructor }}',
  '{{ x.__class__ }}',
  '{{ messages[0].content.constructor }}',
  '{{ loop.index }}',
  '{{ tools is none }}',
];

function template(draw: Draw): string {
  const pieces = Array.from({ length: count(draw, 60) }, () => {
    const piece = pick(draw, PIECES);
    return piece.repeat(draw() < 0.1 ? count(draw, 40) : 1);
  });
  const text = pieces.join('');
  if (draw() < 0.1)
    return `{{ ${pick(draw, ['(', '[', 'not ', '-', 'x[', '"a" ~ ']).repeat(count(draw, 5000))} }}`;
  return draw() < 0.2 ? mutatedText(draw, text) : text;
}

const GGUF = tinyGguf();
const GGUF_BYTES = ggufBytes(GGUF);

/** A file whose header says other things than it should, in the terms of the format; or one whose bits flip. */
function gguf(draw: Draw): Uint8Array {
  if (draw() < 0.3) return mutatedBytes(draw, GGUF_BYTES);
  try {
    const spec = JSON.parse(mutatedJson(draw, GGUF)) as GgufSpec;
    // Data that are missing are refused whatever the header says, so they are seldom.
    const made = ggufBytes({ ...spec, dataBytes: draw() < 0.9 ? GGUF.dataBytes : 0 });
    return draw() < 0.1 ? mutatedBytes(draw, made) : made;
  } catch {
    // The change left nothing that could be written.
    return mutatedBytes(draw, GGUF_BYTES);
  }
}

export function modelTargets(): readonly ParserTarget[] {
  return [
    {
      name: 'safetensors',
      share: 403,
      make: safetensors,
      read: (bytes: Uint8Array) =>
        refusable(async () => {
          await openSafetensors(openBytes(bytes), 'a.safetensors');
          return parseSafetensors(bytes);
        }),
    },
    {
      name: 'GGUF',
      share: 100,
      make: gguf,
      read: (bytes: Uint8Array) =>
        refusable(async () => loadModel(await filesInFile('a.gguf', openBytes(bytes)))),
    },
    {
      name: 'zip',
      share: 60,
      make: zip,
      read: (bytes: Uint8Array) =>
        refusable(async () => {
          const files = await filesInZip('a.zip', openBytes(bytes));
          for (const name of files.names ?? []) {
            const file = await files.open(name);
            if (file !== null) await contentOf(file);
          }
        }),
    },
    {
      name: 'config',
      share: 40,
      make: folder,
      read: (files: Map<string, Uint8Array>) => refusable(() => loadModel(filesInMemory('m', files))),
    },
    { name: 'tokenizer', share: 70, make: tokenizerFiles, read: readTokenizer },
    {
      name: 'template',
      share: 70,
      make: template,
      read: (text: string) =>
        refusable(() => {
          const codec = createTextCodec({
            tokenizerJson: tinyTokenizerJson,
            tokenizerConfig: tinyTokenizerConfig,
            chatTemplate: text,
          });
          const messages = [
            { role: 'system', content: 'S' },
            { role: 'user', content: 'Hi' },
          ];
          codec.renderChat(messages, { addGenerationPrompt: true, moment: 0 });
          return Promise.resolve();
        }),
    },
  ];
}
