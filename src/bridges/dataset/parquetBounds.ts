/**
 * Checks the pages of a parquet column before the library reads them: it takes every count for true and makes lists of that length, so a few
 * bytes could say a billion. Apache Parquet's format describes them under "Data Pages" and "Encodings".
 */
import { snappyUncompress } from 'hyparquet';
import { grouped } from '@rl-playground/base/text';
import { ThriftReader, type ThriftStruct } from './thrift.ts';

/** A chunk of the values of a column, or of a field in it. */
export interface ColumnChunk {
  readonly codec: string;
  /** The number of rows of its group. */
  readonly rows: number;
  /** The highest level that says how much of a value is there; 0 where none may be missing, and no levels come before the values. */
  readonly definition: number;
  /** The highest level that says where a list goes on; 0 outside of lists. */
  readonly repetition: number;
  readonly boolean: boolean;
}

const DATA = 0;
const DICTIONARY = 2;
const DATA_V2 = 3;
/** The numbers of encodings. */
const PLAIN = 0;
const PLAIN_DICTIONARY = 2;
const RUNS = 3;
const DELTA_NUMBERS = 5;
const DELTA_LENGTHS = 6;
const RUNS_OF_DICTIONARY = 8;
const SPLIT_BYTES = 9;

const LARGEST_PAGE = 256 * 2 ** 20;
/** The largest ratio of Snappy, which copies at most 64 bytes for each 3. */
const SNAPPY_RATIO = 22;
const LARGEST_BLOCK = 65_536;

function fieldOf(struct: ThriftStruct | undefined, id: number): number {
  const value = struct?.get(id);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new Error(`the header of a page has no count in field ${id}`);
}

function within(what: string, value: number, most: number): void {
  if (value > most) throw new Error(`${what} ${grouped(value)}, and at most ${grouped(most)} can be`);
}

/** The number of packed values of `width` bits, the first `count`, that are `wanted`. */
function packedCount(bytes: Uint8Array, width: number, count: number, wanted: number): number {
  let found = 0;
  for (let i = 0; i < count; i++) {
    let value = 0;
    for (let bit = 0; bit < width; bit++) {
      const at = i * width + bit;
      value |= (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) << bit;
    }
    if (value === wanted) found++;
  }
  return found;
}

/** Checks runs of repeated and of packed values, `count` of them in `width` bits each. Returns how many are `wanted`. */
function checkRuns(bytes: Uint8Array, width: number, count: number, wanted = -1): number {
  within('values have bits:', width, 32);
  const reader = new ThriftReader(bytes);
  let found = 0;
  for (let seen = 0; seen < count;) {
    const header = reader.varint();
    const packed = header % 2 === 1;
    const values = packed ? ((header - 1) / 2) * 8 : header / 2;
    // Packed values are padded to eight.
    within('a run has values:', values, count - seen + (packed ? 7 : 0));
    if (values === 0) throw new Error('a run has no values');
    const length = packed ? (values / 8) * width : Math.ceil(width / 8);
    if (wanted >= 0) {
      const run = bytes.subarray(reader.at, reader.at + length);
      if (packed) found += packedCount(run, width, Math.min(values, count - seen), wanted);
      else if (run[0] === wanted) found += values;
    }
    // Some writers leave out the bytes of the padding.
    reader.at += Math.min(length, reader.left);
    seen += values;
  }
  return found;
}

function checkValues(bytes: Uint8Array, encoding: number, count: number, { boolean }: ColumnChunk): void {
  if (encoding === PLAIN || encoding === SPLIT_BYTES) {
    within('a page of fewer bits has values:', count, 8 * bytes.length);
  } else if (encoding === PLAIN_DICTIONARY || encoding === RUNS_OF_DICTIONARY || encoding === RUNS) {
    if (boolean) checkRuns(bytes.subarray(4), 1, count);
    else if ((bytes[0] ?? 0) > 0) checkRuns(bytes.subarray(1), bytes[0] ?? 0, count);
  } else if (encoding === DELTA_NUMBERS || encoding === DELTA_LENGTHS) {
    const reader = new ThriftReader(bytes);
    within('a block has values:', reader.varint(), LARGEST_BLOCK);
    within('a block has parts:', reader.varint(), LARGEST_BLOCK);
  } else throw new Error(`values are encoded by method ${encoding}; write them plain or with a dictionary`);
}

function unpacked(bytes: Uint8Array, size: number, codec: string): Uint8Array {
  within('a page has bytes:', size, LARGEST_PAGE);
  if (codec === 'UNCOMPRESSED') {
    if (size !== bytes.length) throw new Error(`a page of ${bytes.length} bytes is said to have ${size}`);
    return bytes;
  }
  if (codec !== 'SNAPPY') throw new Error(`parquet unsupported compression codec: ${codec}`);
  within('a page unpacks to bytes:', size, SNAPPY_RATIO * bytes.length + 64);
  const page = new Uint8Array(size);
  snappyUncompress(bytes, page);
  return page;
}

const bitsOf = (most: number): number => 32 - Math.clz32(most);

/**
 * Checks levels, which say of each value whether it is there, or where a list goes on. Returns the bytes behind them, and how many levels
 * are `wanted`: the highest for values that are there, 0 for lists that begin.
 */
function behindLevels(
  page: Uint8Array,
  count: number,
  most: number,
  wanted: number,
): { readonly values: Uint8Array; readonly there: number } {
  if (most === 0) return { values: page, there: count };
  const length = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(0, true);
  within('levels have bytes:', length, page.length - 4);
  const there = checkRuns(page.subarray(4, 4 + length), bitsOf(most), count, wanted);
  return { values: page.subarray(4 + length), there };
}

/**
 * Checks all pages of a chunk and returns the number of its values, of which there may be `most` in lists, and otherwise one for each row.
 * @throws Error for a page that says what can't be.
 */
export function checkPages(bytes: Uint8Array, chunk: ColumnChunk, most = 0): number {
  const reader = new ThriftReader(bytes);
  const { definition, repetition } = chunk;
  const all = repetition > 0 ? most : chunk.rows;
  let [values, rows] = [0, 0];
  while ((repetition > 0 || values < all) && reader.left > 1) {
    const header = reader.struct();
    const [type, size, stored] = [fieldOf(header, 1), fieldOf(header, 2), fieldOf(header, 3)];
    within('a page takes bytes:', stored, reader.left);
    const body = bytes.subarray(reader.at, reader.at + stored);
    reader.at += stored;
    const inside = header.get(type === DATA ? 5 : type === DICTIONARY ? 7 : 8);
    if (!(inside instanceof Map)) throw new Error(`a page is of type ${type}`);
    const count = fieldOf(inside, 1);
    if (type === DICTIONARY) {
      const page = unpacked(body, size, chunk.codec);
      within('a dictionary of fewer bits has values:', count, 8 * page.length);
      continue;
    }
    if (type !== DATA && type !== DATA_V2) throw new Error(`a page is of type ${type}`);
    within('a page has values:', count, all - values);
    if (count === 0) throw new Error('a page has no values');
    values += count;
    if (type === DATA) {
      const lists = behindLevels(unpacked(body, size, chunk.codec), count, repetition, 0);
      rows += lists.there;
      within('lists begin in rows:', rows, chunk.rows);
      const { values: plain, there } = behindLevels(lists.values, count, definition, definition);
      checkValues(plain, fieldOf(inside, 2), there, chunk);
      continue;
    }
    const [nulls, inRows] = [fieldOf(inside, 2), fieldOf(inside, 3)];
    const [levels, repeated] = [fieldOf(inside, 5), fieldOf(inside, 6)];
    within('a page has missing values:', nulls, count);
    within('a page has rows:', inRows, count);
    within('levels have bytes:', levels + repeated, Math.min(stored, size));
    if (repetition > 0) rows += checkRuns(body.subarray(0, repeated), bitsOf(repetition), count, 0);
    within('lists begin in rows:', rows, chunk.rows);
    if (definition > 0) checkRuns(body.subarray(repeated, repeated + levels), bitsOf(definition), count);
    const packed = body.subarray(levels + repeated);
    const plain = inside.get(7) === false;
    const page = plain ? packed : unpacked(packed, size - levels - repeated, chunk.codec);
    checkValues(page, fieldOf(inside, 4), count - nulls, chunk);
  }
  return values;
}

/** Checks the footer of a file. @throws Error for a footer that says what can't be. */
export function checkFooter(bytes: Uint8Array): void {
  const struct = new ThriftReader(bytes).struct();
  const schema = struct.get(2);
  if (!Array.isArray(schema) || !Array.isArray(struct.get(4))) throw new Error('its footer lists no columns');
  for (const element of schema as unknown[])
    if (!(element instanceof Map) || !(element.get(4) instanceof Uint8Array))
      throw new Error('one of its columns has no name');
}
