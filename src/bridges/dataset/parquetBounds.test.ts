import { describe, expect, it } from 'vitest';
import { checkFooter, checkPages, type ColumnChunk } from './parquetBounds.ts';

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push(128 + (rest % 128));
  }
}

/** Thrift's compact protocol: whole numbers by the ids of their fields, in ascending order, and structs within. */
function struct(fields: Readonly<Record<number, number | number[]>>): number[] {
  let before = 0;
  const bytes = Object.entries(fields).flatMap(([key, value]) => {
    const id = Number(key);
    const delta = (id - before) << 4;
    before = id;
    return typeof value === 'number' ? [delta | 5, ...varint(2 * value)] : [delta | 12, ...value];
  });
  return [...bytes, 0];
}

/** A data page of the first version. */
function page(body: readonly number[], count: number, encoding: number, size = body.length): Uint8Array {
  const inside = struct({ 1: count, 2: encoding, 3: 3, 4: 3 });
  return Uint8Array.from([...struct({ 1: 0, 2: size, 3: body.length, 5: inside }), ...body]);
}

const chunk: ColumnChunk = { codec: 'UNCOMPRESSED', rows: 3, definition: 0, repetition: 0, boolean: false };
const DICTIONARY = 8;
/** One bit for each value, and a run of so many zeros. */
const run = (values: number): number[] => [1, ...varint(2 * values), 0];

describe('the pages of a column', () => {
  it('are sound where they say what is there', () => {
    expect(() => checkPages(page(run(3), 3, DICTIONARY), chunk)).not.toThrow();
    // Eight packed values, of which five are padding.
    expect(() => checkPages(page([1, 3, 0b101], 3, DICTIONARY), chunk)).not.toThrow();
    const levels = [2, 0, 0, 0, 6, 1];
    expect(() =>
      checkPages(page([...levels, ...run(3)], 3, DICTIONARY), { ...chunk, definition: 1 }),
    ).not.toThrow();
    const [first, second] = [page(run(1), 1, DICTIONARY), page(run(2), 2, DICTIONARY)];
    expect(() => checkPages(Uint8Array.from([...first, ...second]), chunk)).not.toThrow();
  });

  it('count the values that are there, and may hold more values than rows in lists', () => {
    // Of eight values every other is there.
    const levels = [2, 0, 0, 0, 3, 0b01010101];
    const some = page([...levels, ...run(4)], 8, DICTIONARY);
    expect(checkPages(some, { ...chunk, rows: 8, definition: 1 })).toBe(8);
    // Two lists of four values: the first of each begins a row.
    const repeated = [2, 0, 0, 0, 3, 0b11101110];
    const defined = [2, 0, 0, 0, 16, 3];
    const lists = page([...repeated, ...defined, ...run(8)], 8, DICTIONARY);
    const nested = { ...chunk, rows: 2, definition: 3, repetition: 1 };
    expect(checkPages(lists, nested, 8)).toBe(8);
    expect(() => checkPages(lists, { ...nested, rows: 1 }, 8)).toThrow(
      /lists begin in rows: 2, and at most 1/,
    );
    expect(() => checkPages(lists, nested, 7)).toThrow(/a page has values: 8, and at most 7/);
  });

  it.each<[string, Uint8Array, RegExp, Partial<ColumnChunk>?]>([
    [
      'a run of a billion',
      page(run(2 ** 30), 3, DICTIONARY),
      /a run has values: 1,073,741,824, and at most 3/,
    ],
    ['a run of nothing', page(run(0), 3, DICTIONARY), /a run has no values/],
    [
      'more values than rows',
      page(run(2 ** 31), 2 ** 31, DICTIONARY),
      /a page has values: 2,147,483,648, and at most 3/,
    ],
    ['values of 99 bits', page([99, 6, 0], 3, DICTIONARY), /values have bits: 99/],
    ['another size', page(run(3), 3, DICTIONARY, 9), /a page of 3 bytes is said to have 9/],
    [
      'a size that nothing unpacks to',
      page(run(3), 3, DICTIONARY, 2 ** 27),
      /a page unpacks to bytes: 134,217,728/,
      { codec: 'SNAPPY' },
    ],
    [
      'levels beyond its end',
      page([9, 0, 0, 0, 6, 1], 3, DICTIONARY),
      /levels have bytes: 9/,
      { definition: 1 },
    ],
    ['prefixes that repeat themselves', page([1, 2, 3], 3, 7), /encoded by method 7/],
    [
      'a block of a billion parts',
      page([...varint(128), ...varint(2 ** 30)], 3, 6),
      /a block has parts: 1,073,741,824/,
    ],
    ['a header that ends early', Uint8Array.of(0x15, 0), /a header ends before its last field/],
  ])('are refused with %s', (_, bytes, says, changes = {}) => {
    expect(() => checkPages(bytes, { ...chunk, ...changes })).toThrow(says);
  });
});

describe('a footer', () => {
  it.each<[string, number[], RegExp]>([
    [
      'a list of a billion',
      [0x19, 0xfc, ...varint(2 ** 30)],
      /1073741824 values are announced, and 0 bytes are left/,
    ],
    ['a name of a billion', [0x18, ...varint(2 ** 30)], /1073741824 values are announced/],
    ['structs in structs', Array.from({ length: 100 }, () => 0x1c), /more than 20 deep/],
    ['no columns', [0], /lists no columns/],
  ])('is refused with %s', (_, bytes, says) => {
    expect(() => checkFooter(Uint8Array.from(bytes))).toThrow(says);
  });
});
