import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor } from '@rl-playground/base/random';
import { absmaxBlocks } from './absmax.ts';
import { BLOCK_SHAPES } from './blockFormats.ts';
import { dequantizeBlocks } from './dequantize.ts';
import { QUANTIZED_FORMATS, quantizeBlocks, type QuantizedBlocks } from './quantizeBlocks.ts';

interface Row {
  readonly id: string;
  readonly type: string;
  readonly blocks: string;
  readonly values: readonly number[];
  readonly source?: readonly number[];
}

const formatOf = (type: string): QuantizedBlocks | undefined =>
  QUANTIZED_FORMATS.find((format) => format === type.toLowerCase());

const again = (format: QuantizedBlocks, values: Float32Array): Float32Array =>
  dequantizeBlocks(format, quantizeBlocks(format, values));

/** The same numbers without the sign of a zero, which some formats have and others lack. */
const unsigned = (values: ArrayLike<number>): number[] => Array.from(values, (value) => value + 0);

function squaredError(found: Float32Array, wanted: ArrayLike<number>): number {
  return found.reduce((sum, value, i) => sum + (value - (wanted[i] ?? NaN)) ** 2, 0);
}

describeShared('blocks by gguf-py', 'refdata/gguf', (folder) => {
  const rows = (folder ? readFileSync(`${folder}/blocks.jsonl`, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
    .filter(({ type }) => formatOf(type));

  test('numbers on the grid of a format come back', () => {
    for (const { id, type, values } of rows) {
      const format = formatOf(type) ?? 'q8_0';
      expect([id, ...unsigned(again(format, Float32Array.from(values)))]).toEqual([id, ...unsigned(values)]);
    }
    expect(new Set(rows.map(({ type }) => type.toLowerCase()))).toEqual(new Set(QUANTIZED_FORMATS));
  });

  test('the quick rule for Q8_0 gives the blocks of gguf-py', () => {
    const tried = rows.filter(({ type, source }) => type === 'Q8_0' && source);
    for (const { id, blocks, source = [] } of tried)
      expect([id, ...absmaxBlocks(Float32Array.from(source))]).toEqual([
        id,
        ...Buffer.from(blocks, 'base64'),
      ]);
    expect(tried.length).toBeGreaterThan(3);
  });

  test('the error is never above that of gguf-py', () => {
    for (const { id, type, values, source } of rows) {
      if (!source) continue;
      const found = again(formatOf(type) ?? 'q8_0', Float32Array.from(source));
      const wanted = squaredError(Float32Array.from(values), source);
      expect([id, squaredError(found, source) <= wanted * (1 + 1e-6)]).toEqual([id, true]);
    }
  });
});

/** The places of the numbers in f16 of a block. */
const HALVES: Readonly<Record<QuantizedBlocks, readonly number[]>> = {
  q8_0: [0],
  q4_0: [0],
  q4_1: [0, 2],
  q5_0: [0],
  q5_1: [0, 2],
  q4_k: [0, 2],
  q5_k: [0, 2],
  q6_k: [208],
};

test.each(QUANTIZED_FORMATS)('random blocks of %s come back', (format) => {
  const draw = drawsFor(41);
  const { bytes: size } = BLOCK_SHAPES[format];
  const bytes = Uint8Array.from({ length: 200 * size }, () => 256 * draw());
  for (let block = 0; block < bytes.length; block += size)
    // Scales from 2^-8 to 2^-6.
    for (const at of HALVES[format]) bytes[block + at + 1] = 0x1c + 7 * draw();
  const values = dequantizeBlocks(format, bytes);
  expect(unsigned(again(format, values))).toEqual(unsigned(values));
});

const normal = (length: number): Float32Array<ArrayBuffer> => {
  const draw = drawsFor(7);
  const next = (): number => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  return Float32Array.from({ length }, next);
};

/**
 * The relative errors in percent that ggml's own quantizers leave of normal numbers, as measured on 524,288 of them. They depend on the draw by
 * about a hundredth of themselves here.
 */
const OF_GGML: Readonly<Record<QuantizedBlocks, number>> = {
  q8_0: 0.537,
  q4_0: 8.62,
  q4_1: 7.83,
  q5_0: 4.28,
  q5_1: 3.79,
  q4_k: 7.15,
  q5_k: 3.62,
  q6_k: 1.777,
};

test.each(QUANTIZED_FORMATS)('%s loses less of normal numbers than by ggml', (format) => {
  const values = normal(64 * 256);
  const all = squaredError(new Float32Array(values.length), values);
  const lost = 100 * Math.sqrt(squaredError(again(format, values), values) / all);
  expect(lost).toBeLessThan(OF_GGML[format]);
  expect(lost).toBeGreaterThan(0.8 * OF_GGML[format]);
});

test('Q4_1 by hand: numbers from −2 to 5.5 in steps of 0.5', () => {
  const values = Float32Array.from({ length: 32 }, (_, i) => -2 + 0.5 * (i % 16));
  const bytes = quantizeBlocks('q4_1', values);
  expect([...bytes.subarray(0, 4)]).toEqual([0x00, 0x38, 0x00, 0xc0]);
  expect([...bytes.subarray(4)]).toEqual(Array.from({ length: 16 }, (_, code) => code * 17));
});

test('Q8_0 by hand: multiples of 0.25, whose extreme decides no scale', () => {
  const codes = Array.from({ length: 32 }, (_, i) => 3 * i - 50);
  const bytes = quantizeBlocks(
    'q8_0',
    Float32Array.from(codes, (code) => 0.25 * code),
  );
  expect([...new Int8Array(bytes.buffer)]).toEqual([0x00, 0x34, ...codes]);
});

test.each(['q4_1', 'q5_1'] as const)('a single number in %s keeps more than f16', (format) => {
  const found = again(format, new Float32Array(32).fill(0.37));
  for (const value of found) expect(Math.abs(value - 0.37)).toBeLessThan(1e-7);
});

test('tiny numbers, for whose scale f16 has few bits, are not cut off', () => {
  const values = normal(16 * 256).map((value) => value * 2 ** -13);
  const lost = Math.sqrt(
    squaredError(again('q8_0', values), values) / squaredError(new Float32Array(values.length), values),
  );
  // The scale is about 40 of f16’s least steps; rounding alone leaves an error of 0.0058.
  expect(lost).toBeLessThan(0.0055);
});

test('zeros stay zeros', () => {
  for (const format of QUANTIZED_FORMATS)
    expect(unsigned(again(format, new Float32Array(256)))).toEqual(unsigned(new Float32Array(256)));
});

test('the quick rule by hand: the largest magnitude is 127 steps', () => {
  const values = Float32Array.from({ length: 32 }, (_, i) => 0.5 * (i === 3 ? -127 : i));
  const bytes = absmaxBlocks(values);
  expect([...bytes.subarray(0, 2)]).toEqual([0x00, 0x38]);
  expect([...new Int8Array(bytes.buffer, 2)]).toEqual(Array.from(values, (value) => 2 * value));
  values[9] = Infinity;
  expect(() => absmaxBlocks(values)).toThrow('Element 9 is Infinity: only finite numbers can be quantized.');
});

test('what no block can hold is refused', () => {
  const values = new Float32Array(256);
  values[200] = NaN;
  for (const format of QUANTIZED_FORMATS)
    expect(() => quantizeBlocks(format, values)).toThrow(
      'Element 200 is NaN: only finite numbers can be quantized.',
    );
  values[200] = 1e9;
  for (const format of QUANTIZED_FORMATS)
    expect(() => quantizeBlocks(format, values)).toThrow(/f16 ends at 65504/);
  expect(() => quantizeBlocks('q4_k', new Float32Array(128))).toThrow('a block holds 256 numbers');
});
