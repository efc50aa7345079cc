/** Blocks of GGUF (`blocks.ts`) as rows of floats, and as the panels of 8 columns that `gemm.ts` multiplies. */
import {
  bytesOf, codesOf, elementsOf, hasOffset, hasSmallGroups, offsetOf, offsetsOf, scaleOf, scalesOf,
  IQ4_NL, IQ4_XS, Q2_K, Q3_K, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0,
} from './blocks';
import { plusProduct } from './vector';

/** Floats that eight rows' codes, scales and offsets take for each element of a row, and their bytes. */
export const CODE_FLOATS: i32 = 3;
const CODE_BYTES: usize = 12;

@inline
function storeFour(format: i32, numbers: v128, scale: v128, offset: v128, to: usize): void {
  const product = f32x4.mul(f32x4.convert_i32x4_s(numbers), scale);
  v128.store(to, hasOffset(format) ? f32x4.add(product, offset) : product);
}

/** 16 elements of one block: eight to `to`, and the other eight to `next`. */
@inline
function storeSixteen(
  format: i32, block: usize, g: usize, odd: i32, scale: v128, offset: v128, to: usize, next: usize,
): void {
  const codes = codesOf(format, block, g, odd);
  const low = i16x8.extend_low_i8x16_s(codes), high = i16x8.extend_high_i8x16_s(codes);
  storeFour(format, i32x4.extend_low_i16x8_s(low), scale, offset, to);
  storeFour(format, i32x4.extend_high_i16x8_s(low), scale, offset, to + 16);
  storeFour(format, i32x4.extend_low_i16x8_s(high), scale, offset, next);
  storeFour(format, i32x4.extend_high_i16x8_s(high), scale, offset, next + 16);
}

/** 16 elements of each of k rows, whose blocks are `stride` bytes apart. */
@inline
function packSixteen(
  format: i32, block: usize, g: usize, odd: i32, stride: usize, k: i32, panel: usize, next: usize,
): void {
  for (let i = 0; i < k; i++, block += stride, panel += 32, next += 32) {
    const scale = scaleOf(format, block, g, odd), offset = offsetOf(format, block, g, odd);
    storeSixteen(format, block, g, odd, scale, offset, panel, next);
  }
}

@inline
function lowBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

@inline
function highBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

@inline
function lowPairs(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline
function highPairs(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/** Stores the codes of eight columns of the transpose, from interleaved pairs of rows. */
@inline
function storeEightColumns(ab: v128, cd: v128, ef: v128, gh: v128, to: usize): void {
  let four = lowPairs(ab, cd), others = lowPairs(ef, gh);
  v128.store(to, i32x4.shuffle(four, others, 0, 4, 1, 5));
  v128.store(to, i32x4.shuffle(four, others, 2, 6, 3, 7), 16);
  four = highPairs(ab, cd);
  others = highPairs(ef, gh);
  v128.store(to, i32x4.shuffle(four, others, 0, 4, 1, 5), 32);
  v128.store(to, i32x4.shuffle(four, others, 2, 6, 3, 7), 48);
}

/** The codes of half a group of eight rows, which `odd` says as a constant: shifts by a number that is not known take three times as long. */
@inline
function storeHalf(
  format: i32, g: usize, odd: i32, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, h: usize, i: usize, to: usize,
): void {
  const c0 = codesOf(format, a, g, odd), c1 = codesOf(format, b, g, odd);
  const c2 = codesOf(format, c, g, odd), c3 = codesOf(format, d, g, odd);
  const c4 = codesOf(format, e, g, odd), c5 = codesOf(format, f, g, odd);
  const c6 = codesOf(format, h, g, odd), c7 = codesOf(format, i, g, odd);
  storeEightColumns(lowBytes(c0, c1), lowBytes(c2, c3), lowBytes(c4, c5), lowBytes(c6, c7), to);
  storeEightColumns(highBytes(c0, c1), highBytes(c2, c3), highBytes(c4, c5), highBytes(c6, c7), to + 64);
}

@inline
function storeScales(left: v128, right: v128, to: usize): void {
  v128.store(to, left);
  v128.store(to, right, 16);
}

/**
 * k elements of `width` rows side by side, as codes. A group of 32 elements takes 384 bytes: the codes [32][8], which are transposed while
 * they are bytes, and for each half of the group the scales and the offsets of the eight rows.
 */
@inline
function transposeRows(format: i32, block: usize, g: usize, stride: usize, width: i32, k: i32, to: usize): void {
  const perBlock = <usize>(elementsOf(format) >> 5);
  const s1 = stride * min(width - 1, 1), s2 = stride * min(width - 1, 2), s3 = stride * min(width - 1, 3);
  const s4 = stride * min(width - 1, 4), s5 = stride * min(width - 1, 5), s6 = stride * min(width - 1, 6);
  const s7 = stride * min(width - 1, 7);
  for (const end = to + <usize>k * CODE_BYTES; to < end; to += 384) {
    const b = block + s1, c = block + s2, d = block + s3, e = block + s4, f = block + s5, h = block + s6, i = block + s7;
    let left = scalesOf(format, block, b, c, d, g, 0), right = scalesOf(format, e, f, h, i, g, 0);
    storeScales(left, right, to + 256);
    if (hasSmallGroups(format)) {
      left = scalesOf(format, block, b, c, d, g, 1);
      right = scalesOf(format, e, f, h, i, g, 1);
    }
    storeScales(left, right, to + 320);
    if (hasOffset(format)) {
      left = offsetsOf(format, block, b, c, d, g, 0);
      right = offsetsOf(format, e, f, h, i, g, 0);
      storeScales(left, right, to + 288);
      if (hasSmallGroups(format)) {
        left = offsetsOf(format, block, b, c, d, g, 1);
        right = offsetsOf(format, e, f, h, i, g, 1);
      }
      storeScales(left, right, to + 352);
    }
    storeHalf(format, g, 0, block, b, c, d, e, f, h, i, to);
    storeHalf(format, g, 1, block, b, c, d, e, f, h, i, to + 128);
    if (++g == perBlock) {
      g = 0;
      block += bytesOf(format);
    }
  }
}

/** Code times scale is exact, so it makes no difference if the offset is added in the same instruction. */
@inline
function numbersOf(codes: v128, scale: v128, offset: v128, hasOffsets: bool): v128 {
  const numbers = f32x4.convert_i32x4_s(codes);
  return hasOffsets ? plusProduct(offset, numbers, scale) : f32x4.mul(numbers, scale);
}

/** Makes a panel [k][8] of floats of the codes from `transposeRows`. */
@inline
function widen(from: usize, k: i32, panel: usize, hasOffsets: bool): void {
  for (const end = from + <usize>k * CODE_BYTES; from < end; from += 128) {
    for (let scales = from + 256, last = from + 384; scales < last; scales += 64) {
      const left = v128.load(scales), right = v128.load(scales, 16);
      const low = v128.load(scales, 32), high = v128.load(scales, 48);
      for (const next = from + 128; from < next; from += 8, panel += 32) {
        const codes = v128.load8x8_s(from);
        v128.store(panel, numbersOf(i32x4.extend_low_i16x8_s(codes), left, low, hasOffsets));
        v128.store(panel, numbersOf(i32x4.extend_high_i16x8_s(codes), right, high, hasOffsets), 16);
      }
    }
  }
}

/** Multiplies a [k] by the codes from `transposeRows` into c [8], or adds to c if `accumulate` is not 0. */
@inline
function multiplyRow(a: usize, from: usize, k: i32, c: usize, accumulate: i32, hasOffsets: bool): void {
  let sum = f32x4.splat(0), others = sum;
  if (accumulate) {
    sum = v128.load(c);
    others = v128.load(c, 16);
  }
  for (const end = from + <usize>k * CODE_BYTES; from < end; from += 128) {
    for (let scales = from + 256, last = from + 384; scales < last; scales += 64) {
      const left = v128.load(scales), right = v128.load(scales, 16);
      const low = v128.load(scales, 32), high = v128.load(scales, 48);
      for (const next = from + 128; from < next; from += 8, a += 4) {
        const codes = v128.load8x8_s(from), value = v128.load32_splat(a);
        sum = plusProduct(sum, value, numbersOf(i32x4.extend_low_i16x8_s(codes), left, low, hasOffsets));
        others = plusProduct(others, value, numbersOf(i32x4.extend_high_i16x8_s(codes), right, high, hasOffsets));
      }
    }
  }
  v128.store(c, sum);
  v128.store(c, others, 16);
}

/** The columns of a format's blocks as two panels, or its rows side by side as codes if `width` is not 0. */
@inline
function pack(
  format: i32, words: usize, first: i32, columns: i32, width: i32, k: i32, panel: usize, next: usize,
): void {
  const block = words + <usize>(first / elementsOf(format)) * bytesOf(format);
  const within = first % elementsOf(format);
  const g = <usize>within >> 5;
  const stride = <usize>(columns / elementsOf(format)) * bytesOf(format);
  if (width) transposeRows(format, block, g, stride, width, k, panel);
  else packSixteen(format, block, g, (within >> 4) & 1, stride, k, panel, next);
}

function packAny(
  format: i32, words: usize, first: i32, columns: i32, width: i32, k: i32, panel: usize, next: usize,
): void {
  switch (format) {
    case Q4_0: pack(Q4_0, words, first, columns, width, k, panel, next); break;
    case Q4_1: pack(Q4_1, words, first, columns, width, k, panel, next); break;
    case Q5_0: pack(Q5_0, words, first, columns, width, k, panel, next); break;
    case Q5_1: pack(Q5_1, words, first, columns, width, k, panel, next); break;
    case Q8_0: pack(Q8_0, words, first, columns, width, k, panel, next); break;
    case Q2_K: pack(Q2_K, words, first, columns, width, k, panel, next); break;
    case Q3_K: pack(Q3_K, words, first, columns, width, k, panel, next); break;
    case Q4_K: pack(Q4_K, words, first, columns, width, k, panel, next); break;
    case Q5_K: pack(Q5_K, words, first, columns, width, k, panel, next); break;
    case Q6_K: pack(Q6_K, words, first, columns, width, k, panel, next); break;
    case IQ4_NL: pack(IQ4_NL, words, first, columns, width, k, panel, next); break;
    default: pack(IQ4_XS, words, first, columns, width, k, panel, next);
  }
}

/** `count` elements of one row, from element `first` on, both multiples of 16. */
export function unpackBlocks(format: i32, words: usize, first: i32, count: i32, to: usize): void {
  for (let i = 0; i < count; i += 16, to += 64) packAny(format, words, first + i, 0, 0, 1, to, to + 32);
}

/** k elements of `width` rows, from element `first` on, multiples of 32, side by side as codes (`CODE_BYTES` for each of k). */
export function packCodes(
  format: i32, words: usize, first: i32, columns: i32, width: i32, k: i32, to: usize,
): void {
  packAny(format, words, first, columns, width, k, to, 0);
}

/** A panel [k][8] of floats of these codes. */
export function widenCodes(format: i32, codes: usize, k: i32, panel: usize): void {
  if (hasOffset(format)) widen(codes, k, panel, true);
  else widen(codes, k, panel, false);
}

/** The product c [8] of one row a [k] and these codes, added to c if `accumulate` is not 0: the sums that a panel of floats would give. */
export function multiplyCodes(format: i32, a: usize, codes: usize, k: i32, c: usize, accumulate: i32): void {
  if (hasOffset(format)) multiplyRow(a, codes, k, c, accumulate, true);
  else multiplyRow(a, codes, k, c, accumulate, false);
}

/** Two panels [k][8] of the matrix: 16 elements, from element `first` on, a multiple of 16, of k rows. */
export function packBlockColumns(
  format: i32, words: usize, first: i32, columns: i32, k: i32, panel: usize, next: usize,
): void {
  packAny(format, words, first, columns, 0, k, panel, next);
}
