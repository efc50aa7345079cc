/**
 * Elements of frozen matrices as floats, and the panels of 8 columns that `gemm.ts` multiplies. A matrix is its words, row after row of
 * `columns` elements, a multiple of four; a place in it is the number of an element, also a multiple of four. The format is its index in
 * `FROZEN_FORMATS`.
 */
import { packAcross } from './attentionPack';
import { BLOCKS } from './blocks';
import { packBlockRows, unpackBlocks } from './blockPanels';
import { widenHalf } from './halves';
import { at } from './vector';

const F32: i32 = 0;
const F16: i32 = 1;
const BF16: i32 = 2;
const Q8: i32 = 3;

/** The lower halves of four words. */
@inline
function lowHalves(format: i32, words: v128): v128 {
  const upper = i32x4.shl(words, 16);
  return format == BF16 ? upper : widenHalf(upper);
}

/** The upper halves of four words. */
@inline
function highHalves(format: i32, words: v128): v128 {
  return format == BF16 ? v128.and(words, i32x4.splat(0xffff0000)) : widenHalf(words);
}

/** Four whole numbers of 16 bits, the lower or the upper ones of eight, times a scale. */
@inline
function scaledLow(numbers: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(numbers)), scale);
}

@inline
function scaledHigh(numbers: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(numbers)), scale);
}

/** `count` whole numbers (4 or 16) times a scale, from as many bytes. */
@inline
function scaledBytes(bytes: v128, scale: v128, count: i32, to: usize): void {
  const low = i16x8.extend_low_i8x16_s(bytes);
  v128.store(to, scaledLow(low, scale));
  if (count == 4) return;
  const high = i16x8.extend_high_i8x16_s(bytes);
  v128.store(to, scaledHigh(low, scale), 16);
  v128.store(to, scaledLow(high, scale), 32);
  v128.store(to, scaledHigh(high, scale), 48);
}

/** The levels of NF4 (`frozenMatrix/quantize.ts`) as floats, cut into their four bytes, lowest first. */
@inline
function levelBytes(indices: v128, which: i32): v128 {
  const plane =
    which == 0 ? i8x16(0, -79, 48, -96, 77, 63, 113, 0, -1, -29, -35, 58, -72, -85, -77, 0)
    : which == 1 ? i8x16(0, 57, 107, 50, -94, 53, 120, 0, -6, -54, 4, 3, -92, 7, 19, 0)
    : which == 2 ? i8x16(-128, 50, 6, -54, -111, 61, -70, 0, -94, 36, 124, -83, -31, 16, 57, -128)
    : i8x16(-65, -65, -65, -66, -66, -66, -67, 0, 61, 62, 62, 62, 62, 63, 63, 63);
  return i8x16.swizzle(plane, indices);
}

/** `count` levels (4 or 16) times a scale, from as many half bytes, the lower half of a byte first. */
@inline
function scaledLevels(words: v128, scale: v128, count: i32, to: usize): void {
  const low = v128.and(words, i8x16.splat(15)), high = i8x16.shr_u(words, 4);
  const indices = i8x16.shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const b0 = levelBytes(indices, 0), b1 = levelBytes(indices, 1);
  const b2 = levelBytes(indices, 2), b3 = levelBytes(indices, 3);
  let low16 = i8x16.shuffle(b0, b1, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  let high16 = i8x16.shuffle(b2, b3, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  v128.store(to, f32x4.mul(i16x8.shuffle(low16, high16, 0, 8, 1, 9, 2, 10, 3, 11), scale));
  if (count == 4) return;
  v128.store(to, f32x4.mul(i16x8.shuffle(low16, high16, 4, 12, 5, 13, 6, 14, 7, 15), scale), 16);
  low16 = i8x16.shuffle(b0, b1, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  high16 = i8x16.shuffle(b2, b3, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  v128.store(to, f32x4.mul(i16x8.shuffle(low16, high16, 0, 8, 1, 9, 2, 10, 3, 11), scale), 32);
  v128.store(to, f32x4.mul(i16x8.shuffle(low16, high16, 4, 12, 5, 13, 6, 14, 7, 15), scale), 48);
}

/** `count` elements from element `first` on, both multiples of four, and of 32 in blocks. */
export function unpackRow(format: i32, words: usize, scales: usize, first: i32, count: i32, to: usize): void {
  const last = first + count;
  let i = first;
  if (format == F32) {
    memory.copy(to, at(words, first), <usize>count << 2);
  } else if (format >= BLOCKS) {
    unpackBlocks(format, words, first, count, to);
  } else if (format <= BF16) {
    for (; i < last; i += 4, to += 16) {
      const halves = i32x4.extend_low_i16x8_u(v128.load64_zero(words + (<usize>i << 1)));
      v128.store(to, lowHalves(format, halves));
    }
  } else if (format == Q8) {
    while (i < last) {
      const from = words + <usize>i;
      const scale = v128.load32_splat(at(scales, i >> 5));
      if ((i & 15) == 0 && last - i >= 16) {
        scaledBytes(v128.load(from), scale, 16, to);
        i += 16;
        to += 64;
      } else {
        scaledBytes(v128.load32_zero(from), scale, 4, to);
        i += 4;
        to += 16;
      }
    }
  } else {
    while (i < last) {
      const from = words + (<usize>i >> 1);
      const scale = v128.load32_splat(at(scales, i >> 6));
      if ((i & 15) == 0 && last - i >= 16) {
        scaledLevels(v128.load64_zero(from), scale, 16, to);
        i += 16;
        to += 64;
      } else {
        scaledLevels(i32x4.splat(load<u16>(from)), scale, 4, to);
        i += 4;
        to += 16;
      }
    }
  }
}

/** Four rows of halves become columns of a panel: a word holds two elements, so words are transposed and then widened. */
@inline
function packFourHalves(format: i32, from: usize, stride: usize, rows: i32, k: i32, panel: usize): void {
  const from1 = from + stride * min(rows - 1, 1);
  const from2 = from + stride * min(rows - 1, 2);
  const from3 = from + stride * min(rows - 1, 3);
  let i: usize = 0;
  const end = <usize>k << 1;
  for (; i + 16 <= end; i += 16) {
    const a = v128.load(from + i), b = v128.load(from1 + i), c = v128.load(from2 + i), d = v128.load(from3 + i);
    const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
    const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7), cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
    let words = v128.shuffle<f64>(ab, cd, 0, 2);
    v128.store(panel, lowHalves(format, words));
    v128.store(panel, highHalves(format, words), 32);
    words = v128.shuffle<f64>(ab, cd, 1, 3);
    v128.store(panel, lowHalves(format, words), 64);
    v128.store(panel, highHalves(format, words), 96);
    words = v128.shuffle<f64>(abHigh, cdHigh, 0, 2);
    v128.store(panel, lowHalves(format, words), 128);
    v128.store(panel, highHalves(format, words), 160);
    words = v128.shuffle<f64>(abHigh, cdHigh, 1, 3);
    v128.store(panel, lowHalves(format, words), 192);
    v128.store(panel, highHalves(format, words), 224);
    panel += 256;
  }
  if (i == end) return;
  const a = v128.load64_zero(from + i), b = v128.load64_zero(from1 + i);
  const c = v128.load64_zero(from2 + i), d = v128.load64_zero(from3 + i);
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  let words = v128.shuffle<f64>(ab, cd, 0, 2);
  v128.store(panel, lowHalves(format, words));
  v128.store(panel, highHalves(format, words), 32);
  words = v128.shuffle<f64>(ab, cd, 1, 3);
  v128.store(panel, lowHalves(format, words), 64);
  v128.store(panel, highHalves(format, words), 96);
}

function packHalves(format: i32, from: usize, stride: usize, width: i32, k: i32, panel: usize): void {
  if (format == BF16) {
    packFourHalves(BF16, from, stride, width, k, panel);
    if (width > 4) packFourHalves(BF16, from + 4 * stride, stride, width - 4, k, panel + 16);
  } else {
    packFourHalves(F16, from, stride, width, k, panel);
    if (width > 4) packFourHalves(F16, from + 4 * stride, stride, width - 4, k, panel + 16);
  }
}

/**
 * A panel [k][8] of the transposed matrix: k elements of `width` rows, from element `first` on. The panel's columns beyond `width` have
 * no meaning. `floats` holds 8 rows of k floats.
 */
export function packRowsAcross(
  format: i32, words: usize, scales: usize, first: i32, columns: i32, width: i32, k: i32, panel: usize, floats: usize,
): void {
  if (format <= BF16) {
    packHalves(format, words + (<usize>first << 1), <usize>columns << 1, width, k, panel);
    return;
  }
  if (format >= BLOCKS) {
    packBlockRows(format, words, first, columns, width, k, panel);
    return;
  }
  const stride = <usize>k << 2;
  for (let row = 0; row < width; row++) {
    unpackRow(format, words, scales, first + row * columns, k, floats + <usize>row * stride);
  }
  packAcross(floats, stride, width, k, k, panel);
}

/** A panel [k][8] of the matrix: `width` elements, 4 or 8, of k rows. The panel's columns beyond `width` have no meaning. Blocks have `packBlockColumns` instead. */
export function packColumns(
  format: i32, words: usize, scales: usize, first: i32, columns: i32, width: i32, k: i32, panel: usize,
): void {
  if (format > BF16 || width < 8) {
    for (let i = 0; i < k; i++, first += columns, panel += 32) {
      unpackRow(format, words, scales, first, width, panel);
    }
    return;
  }
  let from = words + (<usize>first << 1);
  const stride = <usize>columns << 1;
  for (let i = 0; i < k; i++, from += stride, panel += 32) {
    const halves = v128.load(from);
    v128.store(panel, lowHalves(format, i32x4.extend_low_i16x8_u(halves)));
    v128.store(panel, lowHalves(format, i32x4.extend_high_i16x8_u(halves)), 16);
  }
}
