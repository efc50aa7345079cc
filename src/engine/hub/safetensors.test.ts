import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { ModelFileError } from './types.ts';
import { decode } from '../model/storedWeights.ts';
import { openSafetensors, parseSafetensors, writeSafetensors } from './safetensors.ts';
import { openBlob } from './openFiles.ts';

/** A file laid out by hand: the container's own writer plays no part. */
function file(header: unknown, data: Uint8Array, claimed?: bigint): Uint8Array {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header));
  const bytes = new Uint8Array(8 + text.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, claimed ?? BigInt(text.length), true);
  bytes.set(text, 8);
  bytes.set(data, 8 + text.length);
  return bytes;
}

const entry = (dtype: string, shape: unknown, begin: unknown, end: unknown) => ({
  dtype,
  shape,
  data_offsets: [begin, end],
});

describe('parseSafetensors', () => {
  it('reads F32, F16 and BF16 from any alignment', () => {
    const data = new Uint8Array([0, 0x3c, 0x80, 0x3f, 0, 0, 0x20, 0xc0, 0, 0, 0, 0x3f]);
    for (const pad of ['', ' ', '  ', '   ']) {
      const header =
        JSON.stringify({
          half: entry('F16', [1], 0, 2),
          brain: entry('BF16', [1, 1], 2, 4),
          full: entry('F32', [2], 4, 12),
        }) + pad;
      const { tensors } = parseSafetensors(file(header, data));
      expect(tensors.get('half')).toEqual({ shape: [1], data: new Float32Array([1]) });
      expect(tensors.get('brain')).toEqual({ shape: [1, 1], data: new Float32Array([1]) });
      expect(tensors.get('full')).toEqual({ shape: [2], data: new Float32Array([-2.5, 0.5]) });
    }
  });

  it('rounds F64, whole and piece by piece, at any alignment', async () => {
    const doubles = [1, -0.1, Math.PI * 1e20, 2 ** -149, 1e300];
    const data = new Uint8Array(Float64Array.from(doubles).buffer);
    for (const pad of ['', ' ', '   ']) {
      const bytes = file(JSON.stringify({ x: entry('F64', [5], 0, 40) }) + pad, data);
      const expected = Float32Array.from(doubles, Math.fround);
      expect(parseSafetensors(bytes).tensors.get('x')?.data).toEqual(expected);
      const opened = await openSafetensors(openBlob(new Blob([bytes as BlobPart])), 'x');
      const tensor = opened.get('x');
      expect(tensor).toMatchObject({ shape: [5], dtype: 'F32' });
      const pieces = await Promise.all([tensor?.read(0, 8), tensor?.read(8, 20)]);
      const found = pieces.flatMap((piece = new Uint8Array()) => [...decode(piece, 'F32')]);
      expect(found).toEqual([...expected]);
    }
  });

  it('reads a Node Buffer, whose slice is a view', () => {
    const tensors = new Map([
      ['a', { shape: [2], data: new Float32Array([1, 2]) }],
      ['b', { shape: [1], data: new Float32Array([3]) }],
    ]);
    const read = parseSafetensors(Buffer.from(writeSafetensors(tensors)));
    expect([...read.tensors]).toEqual([...tensors]);
  });

  it('accepts scalars, empty tensors and a file without tensors', () => {
    const bytes = file({ s: entry('F32', [], 0, 4), e: entry('F32', [0, 3], 4, 4) }, new Uint8Array(4));
    expect(parseSafetensors(bytes).tensors.get('s')?.data).toHaveLength(1);
    expect(parseSafetensors(bytes).tensors.get('e')?.data).toHaveLength(0);
    expect(parseSafetensors(file({}, new Uint8Array(0))).tensors.size).toBe(0);
  });

  const four = new Uint8Array(4);
  it.each([
    ['an empty file', new Uint8Array(0), /0 bytes/],
    ['seven bytes', new Uint8Array(7), /7 bytes.*at least 8/],
    [
      'a huge header length',
      file({}, four, 0xffffffffffffffffn),
      /claims 18446744073709551615 bytes, but 6 are there/,
    ],
    ['a header beyond the end', file({}, four, 7n), /claims 7 bytes, but 6/],
    ['a header that is no JSON', file('{nope', four), /no JSON/],
    ['a header that is an array', file([], four), /JSON object/],
    ['a header of invalid UTF-8', file({}, four, 6n), /no JSON/],
    [
      'an unknown type',
      file({ a: entry('I64', [1], 0, 8) }, new Uint8Array(8)),
      /"a" is stored as I64.*BF16/,
    ],
    [
      'offsets that are NaN',
      file('{"a":{"dtype":"F32","shape":[1],"data_offsets":[NaN,4]}}', four),
      /no JSON/,
    ],
    ['offsets that are null', file({ a: entry('F32', [1], Number.NaN, 4) }, four), /"a" is malformed/],
    ['negative offsets', file({ a: entry('F32', [1], -4, 0) }, four), /"a" is malformed/],
    ['fractional shapes', file({ a: entry('F32', [1.5], 0, 6) }, four), /"a" is malformed/],
    ['three offsets', file({ a: { dtype: 'F32', shape: [1], data_offsets: [0, 4, 8] } }, four), /malformed/],
    ['reversed offsets', file({ a: entry('F32', [1], 4, 0) }, four), /needs 4 bytes.*hold -4/],
    ['shape against bytes', file({ a: entry('F32', [2, 2], 0, 4) }, four), /needs 16 bytes.*hold 4/],
    ['an overflowing shape', file({ a: entry('F32', [2 ** 31, 2 ** 31], 0, 4) }, four), /hold 4/],
    ['a truncated file', file({ a: entry('F32', [2], 0, 8) }, four), /ends at byte 8.*only 4/],
    [
      'overlap',
      file({ a: entry('F32', [1], 0, 4), b: entry('F16', [1], 2, 4) }, four),
      /"b" overlaps tensor "a".*byte 2.*needed is 4/,
    ],
    ['a gap', file({ a: entry('F16', [1], 2, 4) }, four), /gap.*byte 2.*needed is 0/],
    ['left-over data', file({ a: entry('F16', [1], 0, 2) }, four), /take 2 bytes, but 4/],
    ['metadata that is no text', file({ __metadata__: { step: 3 } }, new Uint8Array(0)), /__metadata__/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => parseSafetensors(bytes, 'x.safetensors')).toThrow(ModelFileError);
    expect(() => parseSafetensors(bytes, 'x.safetensors')).toThrow(message);
    expect(() => parseSafetensors(bytes, 'x.safetensors')).toThrow(/^x\.safetensors/);
  });

  it('refuses a written file cut at any length', () => {
    const whole = writeSafetensors(new Map([['a', { shape: [3], data: new Float32Array([1, 2, 3]) }]]));
    for (let length = 0; length < whole.length; length++) {
      expect(() => parseSafetensors(whole.subarray(0, length))).toThrow(ModelFileError);
    }
  });
});

describe('writeSafetensors', () => {
  const tensors = new Map([
    ['weight', { shape: [2, 2], data: new Float32Array([1.5, -2, 0.1, NaN]) }],
    ['bias', { shape: [1], data: new Float32Array([Infinity]) }],
  ]);

  it('writes the documented layout, data aligned to 8 bytes', () => {
    const bytes = writeSafetensors(tensors, { metadata: { format: 'pt' } });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))).toEqual({
      __metadata__: { format: 'pt' },
      weight: entry('F32', [2, 2], 0, 16),
      bias: entry('F32', [1], 16, 20),
    });
    expect(new DataView(bytes.buffer).getFloat32(8 + length + 4, true)).toBe(-2);
    expect(bytes).toHaveLength(8 + length + 20);
  });

  it('gives F32 back to the bit, from a view into a larger buffer too', () => {
    const view = new Float32Array([9, 1, 2, 9]).subarray(1, 3);
    const all = new Map([...tensors, ['view', { shape: [2], data: view }]]);
    const read = parseSafetensors(writeSafetensors(all, { metadata: { step: '7' } }));
    expect(read.tensors).toEqual(all);
    expect(read.metadata).toEqual({ step: '7' });
  });

  it('rounds to F16 and BF16', () => {
    const values = new Map([['a', { shape: [2], data: new Float32Array([1 + 2 ** -10, 1 + 2 ** -7]) }]]);
    expect(parseSafetensors(writeSafetensors(values, { dtype: 'F16' })).tensors).toEqual(values);
    expect(parseSafetensors(writeSafetensors(values, { dtype: 'BF16' })).tensors.get('a')?.data).toEqual(
      new Float32Array([1, 1 + 2 ** -7]),
    );
  });

  it('refuses values that do not fill the shape', () => {
    expect(() => writeSafetensors(new Map([['a', { shape: [3], data: new Float32Array(2) }]]))).toThrow(
      /needs 3.*found 2/,
    );
  });
});

describeShared('reference files', 'refdata/models/llama-bf16/model.safetensors', (path) => {
  it('survives BF16 → f32 → BF16 in every value', () => {
    const bytes = new Uint8Array(readFileSync(path));
    const { tensors } = parseSafetensors(bytes);
    expect(tensors.get('model.norm.weight')?.shape).toEqual([32]);
    const again = parseSafetensors(writeSafetensors(tensors, { dtype: 'BF16' }));
    expect(again.tensors).toEqual(tensors);
  });
});
