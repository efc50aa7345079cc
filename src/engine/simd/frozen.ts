/**
 * Elements of frozen matrices as floats, and the panels of 8 columns that `gemm.ts` multiplies. A matrix is its words, row after row of
 * `columns` elements, a multiple of four; a place in it is the number of an element, also a multiple of four. The format is its index in
 * `FROZEN_FORMATS`.
 */
import { BLOCKS } from './blocks';
import { unpackBlocks } from './blockPanels';
import { widenHalf } from './halves';
import { at } from './vector';

const F32: i32 = 0;
const F16: i32 = 1;
const BF16: i32 = 2;

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

/** `count` elements from element `first` on, both multiples of four, and of 32 in blocks. */
export function unpackRow(format: i32, words: usize, first: i32, count: i32, to: usize): void {
  if (format == F32) {
    memory.copy(to, at(words, first), <usize>count << 2);
  } else if (format >= BLOCKS) {
    unpackBlocks(format, words, first, count, to);
  } else {
    const last = first + count;
    for (let i = first; i < last; i += 4, to += 16) {
      const halves = i32x4.extend_low_i16x8_u(v128.load64_zero(words + (<usize>i << 1)));
      v128.store(to, lowHalves(format, halves));
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
 * A panel [k][8] of the transposed matrix of halves: k elements of `width` rows, from element `first` on. The panel's columns beyond
 * `width` have no meaning. Blocks have `packCodes`.
 */
export function packRowsAcross(
  format: i32, words: usize, first: i32, columns: i32, width: i32, k: i32, panel: usize,
): void {
  packHalves(format, words + (<usize>first << 1), <usize>columns << 1, width, k, panel);
}

/**
 * A panel [k][8] of a matrix of halves: `width` elements, 4 or 8, of k rows. The panel's columns beyond `width` have no meaning. Blocks
 * have `packBlockColumns`.
 */
export function packColumns(
  format: i32, words: usize, first: i32, columns: i32, width: i32, k: i32, panel: usize,
): void {
  if (width < 8) {
    for (let i = 0; i < k; i++, first += columns, panel += 32) unpackRow(format, words, first, width, panel);
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
