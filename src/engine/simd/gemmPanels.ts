/** Copies of the operands of `gemm.ts` in the order in which its tiles read them. */
import { BLOCKS, bytesOf, elementsOf } from './blocks';

/** Columns of a panel. */
export const WIDTH: i32 = 8;
/** Panels of a matrix of floats that are copied at once: two cache lines of each of its rows. */
export const COPIED: i32 = 4;
const CACHE_LINE: usize = 64;

/**
 * Copies `count` panels of B. Rows of a wide matrix lie a multiple of 4 KB apart or nearly so, and the cache holds few lines of such
 * addresses: all that is needed of a line is taken at once.
 */
export function packPanels(b: usize, bRow: usize, count: i32, k: i32, panel: usize): void {
  const step = <usize>k * WIDTH * 4;
  if (count < COPIED) {
    for (let j = 0; j < count; j++) pack(b + (<usize>j << 5), bRow, WIDTH, k, panel + <usize>j * step);
    return;
  }
  for (let i = 0; i < k; i++) {
    v128.store(panel, v128.load(b));
    v128.store(panel, v128.load(b, 16), 16);
    v128.store(panel + step, v128.load(b, 32));
    v128.store(panel + step, v128.load(b, 48), 16);
    v128.store(panel + 2 * step, v128.load(b, 64));
    v128.store(panel + 2 * step, v128.load(b, 80), 16);
    v128.store(panel + 3 * step, v128.load(b, 96));
    v128.store(panel + 3 * step, v128.load(b, 112), 16);
    b += bRow;
    panel += WIDTH * 4;
  }
}

/** Copies `rows` rows of A in fours [rows / 4][k][4]. Elements of a row lie `aStep` bytes apart, and a cache line is taken at once. */
export function packFours(a: usize, aStep: usize, rows: i32, k: i32, to: usize): void {
  const step = <usize>k << 4;
  let row = 0;
  for (; row + 16 <= rows; row += 16) {
    let from = a + (<usize>row << 2);
    for (const end = to + step; to < end; to += 16, from += aStep) {
      v128.store(to, v128.load(from));
      v128.store(to + step, v128.load(from, 16));
      v128.store(to + 2 * step, v128.load(from, 32));
      v128.store(to + 3 * step, v128.load(from, 48));
    }
    to += 3 * step;
  }
  for (; row < rows; row += 4) {
    let from = a + (<usize>row << 2);
    const isWhole = row + 4 <= rows;
    for (const end = to + step; to < end; to += 16, from += aStep) {
      if (isWhole) v128.store(to, v128.load(from));
      else memory.copy(to, from, <usize>(rows - row) << 2);
    }
  }
}

/** Copies `width` columns of B to a panel, zeros beyond them. */
export function pack(b: usize, bRow: usize, width: i32, k: i32, panel: usize): void {
  if (width == WIDTH) {
    for (let i = 0; i < k; i++) {
      v128.store(panel, v128.load(b));
      v128.store(panel, v128.load(b, 16), 16);
      b += bRow;
      panel += WIDTH * 4;
    }
    return;
  }
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < WIDTH; j++) {
      store<f32>(panel + (j << 2), j < width ? load<f32>(b + (j << 2)) : 0);
    }
    b += bRow;
    panel += WIDTH * 4;
  }
}

/** The bytes of so many elements of a row of a frozen matrix. */
function bytesIn(format: i32, elements: i32): usize {
  return format >= BLOCKS ? <usize>(elements / elementsOf(format)) * bytesOf(format) : <usize>elements << 1;
}

/**
 * Reads each cache line of k elements of `rows` rows of a frozen matrix, in the order of memory, so that the hardware fetches ahead:
 * unpacking goes through the rows side by side, which it does not follow. With weights that come from memory a product of one row takes
 * 0.65 (Q8_0), 0.8 (Q4_1, Q6_K) or 0.9 (f16) of the time. `unused` is a place that is written, without which the reading would be left out.
 */
export function touchRows(format: i32, words: usize, first: i32, columns: i32, rows: i32, k: i32, unused: usize): void {
  const stride = bytesIn(format, columns), length = bytesIn(format, k);
  let from = words + bytesIn(format, first), sum: i32 = 0;
  for (let row = 0; row < rows; row++, from += stride) {
    for (let at: usize = 0; at < length; at += CACHE_LINE) sum ^= <i32>load<u8>(from + at);
  }
  store<i32>(unused, sum);
}
