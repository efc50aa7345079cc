/** Files of strangers, each of which once froze the page, filled its memory or was believed, with the words that refuse them. */
import { deflateSync, zipSync } from 'fflate';
import { crc32 } from '@rl-playground/engine/parts';
import { looseZip, type LooseFile } from '@rl-playground/engine/testing/looseZip';
import {
  tinyConfigJson,
  tinyModelFolder,
  tinyTokenizerConfig,
  tinyTokenizerJson,
} from '@rl-playground/engine/testing/modelFolder';
import { TRAIN_PARQUET } from './parquetFiles.ts';

export interface HostileFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The words that refuse it. */
  readonly says: RegExp;
}

const utf8 = new TextEncoder();
const jsonOf = (value: object): Uint8Array => utf8.encode(JSON.stringify(value));
/** A zip of the tiny model with some of its files changed. */
function model(changes: Readonly<Record<string, Uint8Array>>): Uint8Array {
  return zipSync({ ...Object.fromEntries(tinyModelFolder()), ...changes }, { level: 9 });
}

const template = (text: string): Uint8Array =>
  model({ 'tokenizer_config.json': jsonOf({ ...tinyTokenizerConfig, chat_template: text }) });
const tokenizer = (changes: object): Uint8Array =>
  model({ 'tokenizer.json': jsonOf({ ...tinyTokenizerJson, ...changes }) });
const config = (changes: object): Uint8Array =>
  model({ 'config.json': jsonOf({ ...tinyConfigJson, ...changes }) });

function flipped(): Uint8Array {
  const bytes = zipSync(Object.fromEntries(tinyModelFolder()), { level: 0 });
  const weights = tinyModelFolder().get('model.safetensors') ?? new Uint8Array();
  const at = Buffer.from(bytes).indexOf(Buffer.from(weights.subarray(-64)));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

/** A small archive of many files with the same bytes, which has 12,500 times its size unpacked. */
function overlapping(): Uint8Array {
  const content = new Uint8Array(3e6);
  const bytes = deflateSync(content, { level: 9 });
  const first: LooseFile = { name: 'file0', bytes, method: 8, size: content.length, sum: crc32(content) };
  const others = Array.from({ length: 1000 }, (_, i): LooseFile => ({
    ...first,
    name: `file${i + 1}`,
    at: 0,
  }));
  return looseZip([first, ...others]);
}

/** A model with one file of 120 MB in as many kB. */
const large = (name: string): Uint8Array => model({ [name]: new Uint8Array(120 * 2 ** 20).fill(0x20) });

/** Zips that are loaded as checkpoints or models. */
export function hostileZips(): readonly HostileFile[] {
  const nested = (depth: number): Uint8Array => utf8.encode(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  const shared = { name: 'config.json', bytes: jsonOf(tinyConfigJson) };
  return [
    {
      name: 'flipped.zip',
      bytes: flipped(),
      says: /model\.safetensors have the CRC-32 [0-9a-f]{8}, and [0-9a-f]{8} is needed/,
    },
    {
      name: 'overlapping.zip',
      bytes: overlapping(),
      says: /goes on to byte \d+, and at byte 0 something else begins/,
    },
    {
      name: 'lies.zip',
      bytes: looseZip([{ ...shared, bytes: deflateSync(shared.bytes), method: 8, size: 4e9, sum: 0 }]),
      says: /said to have 4000000000 bytes, more than \d+ bytes can unpack to/,
    },
    {
      name: 'escaping.zip',
      bytes: looseZip([shared, { ...shared, name: '../../x' }]),
      says: /"\.\.\/\.\.\/x", which is no plain path/,
    },
    {
      name: 'twice.zip',
      bytes: looseZip([shared, shared]),
      says: /two files in it are named "config\.json"/,
    },
    {
      name: 'spaces.zip',
      bytes: large('config.json'),
      says: /config\.json has 120 MB, and at most 64 MB are read/,
    },
    {
      name: 'layers.zip',
      bytes: config({ num_hidden_layers: 1e9 }),
      says: /num_hidden_layers: found 1000000000; models of up to 10000/,
    },
    {
      name: 'more-layers.zip',
      bytes: config({ num_hidden_layers: 9999 }),
      says: /asks for 9,999 layers.*the weights hold \d+ tensors/,
    },
    { name: 'deep.zip', bytes: model({ 'config.json': nested(200_000) }), says: /model_type/ },
    {
      name: 'deep-tokenizer.zip',
      bytes: model({ 'tokenizer.json': nested(200_000) }),
      says: /tokenizer\.json can't be used: model is undefined/,
    },
    {
      name: 'loop.zip',
      bytes: template('{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}'),
      says: /template takes more than 1,000,000 steps/,
    },
    {
      name: 'doubling.zip',
      bytes: template(`{% set x = 'ab' %}${'{% set x = x ~ x %}'.repeat(40)}{{ x }}`),
      says: /makes a text or list of more than 1,000,000/,
    },
    {
      name: 'pattern.zip',
      bytes: tokenizer({
        pre_tokenizer: { type: 'Split', pattern: { Regex: '(a+)+b' }, behavior: 'Isolated', invert: false },
      }),
      says: /tokenizer\.json has the pattern .* take more than 2,000,000 steps, and half as many/,
    },
    {
      name: 'token.zip',
      bytes: tokenizer({
        added_tokens: [{ id: 2_147_483_647, content: 'x', special: true, normalized: false }],
      }),
      says: /has the id 2147483647; tokens are texts, and ids whole numbers/,
    },
  ];
}

/** Rows whose names differ from line to line: rows times columns is a billion. */
const wide = (): string => Array.from({ length: 20_000 }, (_, i) => `{"key${i}":1}`).join('\n');

function lyingParquet(): Uint8Array {
  const bytes = TRAIN_PARQUET.slice();
  // The first field of the footer that is a list says 2³⁰ elements.
  bytes.set([0x19, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x04], bytes.length - 8 - 246 + 2);
  return bytes;
}

/** Tables that are read for rows. */
export function hostileTables(): readonly HostileFile[] {
  return [
    {
      name: 'wide.jsonl',
      bytes: utf8.encode(wide()),
      says: /20,000 columns were found, and at most 1,000 are read/,
    },
    {
      name: 'wide.csv',
      bytes: utf8.encode('q,'.repeat(30_000)),
      says: /30,001 columns were found, and at most 1,000 are read/,
    },
    {
      name: 'quote.csv',
      bytes: utf8.encode(`question,"answer\n${'1,2\n'.repeat(20_000)}`),
      says: /Line 1, .* begins a quote that is never closed/,
    },
    {
      name: 'counts.parquet',
      bytes: lyingParquet(),
      says: /counts\.parquet: this parquet file can't be read \(\d+ values are announced/,
    },
  ];
}

/** Settings files. */
export function hostileSettings(): readonly HostileFile[] {
  const chain = (line: (i: number) => string): string =>
    [
      'rlvr_training:',
      '  batch_size: ${x0}',
      ...Array.from({ length: 26 }, (_, i) => line(i)),
      'x26: abcdefgh',
      '',
    ].join('\n');
  const aliases = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'].concat(
    Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}x]`),
  );
  return [
    {
      name: 'interpolation.yaml',
      bytes: utf8.encode(chain((i) => `x${i}: \${x${i + 1}}\${x${i + 1}}`)),
      says: /its \$\{…\} make more than 1,000,000 characters/,
    },
    {
      name: 'lists.yaml',
      bytes: utf8.encode(chain((i) => `x${i}: ['\${x${i + 1}}', '\${x${i + 1}}']`)),
      says: /its \$\{…\} make more than 1,000,000 characters/,
    },
    {
      name: 'aliases.yaml',
      bytes: utf8.encode(aliases.join('\n')),
      says: /can't be read as YAML or JSON: Excessive alias count/,
    },
  ];
}

/** The query of a link that names settings which do not exist. */
export const hostileLink = (count = 10_000): string =>
  Array.from({ length: count }, (_, i) => `key${i}=${i}`).join('&');
