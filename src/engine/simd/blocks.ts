/**
 * The parts of GGUF's blocks: 16 neighbouring elements have their codes in 16 neighbouring bytes, and stand for code · scale + offset.
 * Codes times scales are exact in f32, so numbers have the bits of `blockFormats/dequantize.ts`, which has the layouts in plain words. A
 * format is its index in `FROZEN_FORMATS`, a constant wherever these functions are inlined; `g` is a group of 32 elements of a block, and
 * `odd` is 1 for its second half.
 */
import { widenHalf } from './halves';

/** The first of the block formats. */
export const BLOCKS: i32 = 5;

export const Q4_0: i32 = 5;
export const Q4_1: i32 = 6;
export const Q5_0: i32 = 7;
export const Q5_1: i32 = 8;
export const Q8_0: i32 = 9;
export const Q2_K: i32 = 10;
export const Q3_K: i32 = 11;
export const Q4_K: i32 = 12;
export const Q5_K: i32 = 13;
export const Q6_K: i32 = 14;
export const IQ4_NL: i32 = 15;
export const IQ4_XS: i32 = 16;

@inline
export function elementsOf(format: i32): i32 {
  return (format >= Q2_K && format <= Q6_K) || format == IQ4_XS ? 256 : 32;
}

@inline
export function bytesOf(format: i32): usize {
  return format == Q4_0 || format == IQ4_NL ? 18
    : format == Q4_1 ? 20
    : format == Q5_0 ? 22
    : format == Q5_1 ? 24
    : format == Q8_0 ? 34
    : format == Q2_K ? 84
    : format == Q3_K ? 110
    : format == Q4_K ? 144
    : format == Q5_K ? 176
    : format == Q6_K ? 210
    : 136;
}

/** True if elements stand for more than their code times the scale. */
@inline
export function hasOffset(format: i32): bool {
  return format == Q4_1 || format == Q5_1 || format == Q2_K || format == Q4_K || format == Q5_K;
}

/** True if a block has scales of its own for each 16 elements, and not for 32. */
@inline
export function hasSmallGroups(format: i32): bool {
  return format == Q2_K || format == Q3_K || format == Q6_K;
}

/** The place of the half that is the scale, and of the one that is the offset or its unit. */
@inline
function scaleAt(format: i32): usize {
  return format == Q2_K ? 80 : format == Q3_K ? 108 : format == Q6_K ? 208 : 0;
}

@inline
function offsetAt(format: i32): usize {
  return format == Q2_K ? 82 : 2;
}

/** The whole number that multiplies the scale of a long block; it has no meaning for a short one. */
@inline
function factorOf(format: i32, block: usize, g: usize, odd: i32): i32 {
  const j = 2 * g + odd;
  if (format == Q2_K) return load<u8>(block + j) & 15;
  if (format == Q3_K) {
    const low = (<i32>load<u8>(block + (j & 7), 96) >> (j < 8 ? 0 : 4)) & 15;
    const high = (<i32>load<u8>(block + (j & 3), 104) >> <i32>(2 * (j >> 2))) & 3;
    return (low | (high << 4)) - 32;
  }
  if (format == Q4_K || format == Q5_K) {
    if (g < 4) return load<u8>(block + g, 4) & 63;
    return (load<u8>(block + g, 8) & 15) | ((load<u8>(block + g) >> 6) << 4);
  }
  if (format == Q6_K) return load<i8>(block + j, 192);
  const low = (<i32>load<u8>(block + (g >> 1), 4) >> <i32>(4 * (g & 1))) & 15;
  const high = (<i32>load<u16>(block, 2) >> <i32>(2 * g)) & 3;
  return (low | (high << 4)) - 32;
}

/** The whole number that multiplies the offset of a long block that has any. */
@inline
function minimumOf(format: i32, block: usize, g: usize, odd: i32): i32 {
  if (format == Q2_K) return load<u8>(block + 2 * g + odd) >> 4;
  if (g < 4) return load<u8>(block + g, 8) & 63;
  return (load<u8>(block + g, 8) >> 4) | ((load<u8>(block + g, 4) >> 6) << 4);
}

/** Halves at four places. */
@inline
function halves(a: usize, b: usize, c: usize, d: usize): v128 {
  let words = v128.load16_splat(a);
  words = v128.load16_lane(b, words, 3);
  words = v128.load16_lane(c, words, 5);
  return widenHalf(v128.load16_lane(d, words, 7));
}

/** The scales of the same elements of four blocks. */
@inline
export function scalesOf(format: i32, a: usize, b: usize, c: usize, d: usize, g: usize, odd: i32): v128 {
  const at = scaleAt(format);
  const units = halves(a + at, b + at, c + at, d + at);
  if (elementsOf(format) == 32) return units;
  const factors = i32x4(
    factorOf(format, a, g, odd), factorOf(format, b, g, odd), factorOf(format, c, g, odd), factorOf(format, d, g, odd),
  );
  return f32x4.mul(units, f32x4.convert_i32x4_s(factors));
}

/** Their offsets, if the format has any. */
@inline
export function offsetsOf(format: i32, a: usize, b: usize, c: usize, d: usize, g: usize, odd: i32): v128 {
  if (!hasOffset(format)) return f32x4.splat(0);
  const at = offsetAt(format);
  const units = halves(a + at, b + at, c + at, d + at);
  if (elementsOf(format) == 32) return units;
  const factors = i32x4(
    minimumOf(format, a, g, odd), minimumOf(format, b, g, odd), minimumOf(format, c, g, odd), minimumOf(format, d, g, odd),
  );
  return f32x4.neg(f32x4.mul(units, f32x4.convert_i32x4_s(factors)));
}

/** The scale of elements of one block, in four lanes. */
@inline
export function scaleOf(format: i32, block: usize, g: usize, odd: i32): v128 {
  const unit = widenHalf(v128.load16_splat(block + scaleAt(format)));
  return elementsOf(format) == 32 ? unit : f32x4.mul(unit, f32x4.splat(<f32>factorOf(format, block, g, odd)));
}

/** Their offset, if the format has any. */
@inline
export function offsetOf(format: i32, block: usize, g: usize, odd: i32): v128 {
  if (!hasOffset(format)) return f32x4.splat(0);
  const unit = widenHalf(v128.load16_splat(block + offsetAt(format)));
  if (elementsOf(format) == 32) return unit;
  return f32x4.neg(f32x4.mul(unit, f32x4.splat(<f32>minimumOf(format, block, g, odd))));
}

/** 16 parts of bytes: `mask` of them, `shift` bits further down, up to 8 bits together. */
@inline
function partsOf(from: usize, shift: i32, mask: i32): v128 {
  return v128.and(i16x8.shr_u(v128.load(from), shift), i8x16.splat(<i8>mask));
}

/** Bit `which` of 16 bytes, as 16 in each. */
@inline
function fifthBits(from: usize, which: i32): v128 {
  const ones = v128.and(v128.load(from), i8x16.splat(<i8>(<i32>1 << which)));
  return v128.and(i8x16.ne(ones, i8x16.splat(0)), i8x16.splat(16));
}

/** 16 bits, one for each byte, as 16 in each. */
@inline
function spreadBits(from: usize): v128 {
  const pairs = v128.load16_splat(from);
  const bytes = i8x16.shuffle(pairs, pairs, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const ones = v128.and(bytes, i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128));
  return v128.and(i8x16.ne(ones, i8x16.splat(0)), i8x16.splat(16));
}

@inline
function unevenCodes(indices: v128): v128 {
  return i8x16.swizzle(i8x16(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113), indices);
}

@inline
function minus(codes: v128, number: i32): v128 {
  return i8x16.sub(codes, i8x16.splat(<i8>number));
}

/** The 16 codes. */
@inline
export function codesOf(format: i32, block: usize, g: usize, odd: i32): v128 {
  const half: usize = 16 * odd;
  if (format == Q4_0) return minus(partsOf(block + 2, 4 * odd, 15), 8);
  if (format == Q4_1) return partsOf(block + 4, 4 * odd, 15);
  if (format == Q5_0) return minus(v128.or(partsOf(block + 6, 4 * odd, 15), spreadBits(block + 2 + 2 * odd)), 16);
  if (format == Q5_1) return v128.or(partsOf(block + 8, 4 * odd, 15), spreadBits(block + 4 + 2 * odd));
  if (format == Q8_0) return v128.load(block + 2 + half);
  if (format == IQ4_NL) return unevenCodes(partsOf(block + 2, 4 * odd, 15));
  if (format == IQ4_XS) return unevenCodes(partsOf(block + 8 + 16 * g, 4 * odd, 15));
  const fourBits = block + 32 * (g >> 1) + half, fourShift = <i32>(4 * (g & 1));
  if (format == Q4_K) return partsOf(fourBits + 16, fourShift, 15);
  if (format == Q5_K) return v128.or(partsOf(fourBits + 48, fourShift, 15), fifthBits(block + 16 + half, <i32>g));
  const twoBits = block + 32 * (g >> 2) + half, twoShift = <i32>(2 * (g & 3));
  if (format == Q2_K) return partsOf(twoBits + 16, twoShift, 3);
  if (format == Q3_K) {
    const third = i16x8.shr_u(fifthBits(block + half, <i32>g), 2);
    return minus(v128.or(partsOf(twoBits + 32, twoShift, 3), third), 4);
  }
  const low = partsOf(block + 64 * (g >> 2) + 32 * (g & 1) + half, <i32>(2 * (g & 2)), 15);
  return minus(v128.or(low, i16x8.shl(partsOf(twoBits + 128, twoShift, 3), 4)), 32);
}
