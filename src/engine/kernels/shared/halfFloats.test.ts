import { describe, expect, it } from 'vitest';
import { fromBfloat16, fromFloat16, toBfloat16, toFloat16 } from './halfFloats.ts';

const hex = (halves: Uint16Array) => [...halves].map((half) => half.toString(16).padStart(4, '0'));

describe('bfloat16', () => {
  it('rounds to nearest, ties to even (bit patterns by hand)', () => {
    const values = new Float32Array(
      new Uint32Array([
        0x3f800000, // 1
        0x3f808000, // halfway, even below: down
        0x3f818000, // halfway, odd below: up
        0x3f808001, // just above halfway: up
        0x3f807fff, // just below halfway: down
        0xff7fffff, // largest negative: rounds to -Infinity
        0x7f800000, // Infinity
        0x80000000, // -0
      ]).buffer,
    );
    expect(hex(toBfloat16(values))).toEqual(['3f80', '3f80', '3f82', '3f81', '3f80', 'ff80', '7f80', '8000']);
  });

  it('keeps NaN, even one whose payload sits in the lower half', () => {
    const values = new Float32Array(new Uint32Array([0x7f800001, 0x7fc00000]).buffer);
    expect([...fromBfloat16(toBfloat16(values))].every(Number.isNaN)).toBe(true);
  });

  it('gives every finite pattern back', () => {
    const patterns = Uint16Array.from({ length: 65536 }, (_, i) => i).filter((i) => (i & 0x7f80) !== 0x7f80);
    expect(toBfloat16(fromBfloat16(patterns))).toEqual(patterns);
  });
});

describe('float16', () => {
  it('reads known patterns', () => {
    const patterns = new Uint16Array([
      0x3c00, 0xc000, 0x7bff, 0x0400, 0x03ff, 0x0001, 0x3555, 0x7c00, 0xfc00,
    ]);
    expect([...fromFloat16(patterns)]).toEqual([
      1,
      -2,
      65504,
      2 ** -14,
      1023 * 2 ** -24,
      2 ** -24,
      0.333251953125,
      Infinity,
      -Infinity,
    ]);
    expect(fromFloat16(new Uint16Array([0x7e00]))[0]).toBeNaN();
  });

  it('rounds to nearest, ties to even, through subnormals and overflow', () => {
    const ulp = 2 ** -10;
    const values = new Float32Array([
      1 + ulp / 2,
      1 + (3 * ulp) / 2,
      1 + ulp / 2 + 2 ** -20,
      2 - ulp / 4,
      65519,
      65520,
      2 ** -25,
      3 * 2 ** -25,
      2 ** -14 - 2 ** -26,
      -0,
      NaN,
    ]);
    expect(hex(toFloat16(values))).toEqual([
      '3c00',
      '3c02',
      '3c01',
      '4000',
      '7bff',
      '7c00',
      '0000',
      '0002',
      '0400',
      '8000',
      '7e00',
    ]);
  });

  it('gives every finite pattern back', () => {
    const patterns = Uint16Array.from({ length: 65536 }, (_, i) => i).filter((i) => (i & 0x7c00) !== 0x7c00);
    expect(toFloat16(fromFloat16(patterns))).toEqual(patterns);
  });
});
