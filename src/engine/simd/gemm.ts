/**
 * C [m, n] = A · B for one block of the inner size. An item is a block of rows and a panel of 8 columns; a panel is computed
 * 4 rows at a time, 8 vectors of sums in registers. Every element of C is one sum over k in ascending order, a product and an
 * addition at a time, whatever m, n and the division into blocks and threads.
 */
import { packAcross } from './attentionPack';
import { BLOCKS } from './blocks';
import { COPIED, pack, packFours, packPanels, touchRows, WIDTH } from './gemmPanels';
import { CODE_FLOATS, multiplyCodes, packBlockColumns, packCodes, widenCodes } from './blockPanels';
import { packColumns, packRowsAcross } from './frozen';
import { ownPart, plusProduct } from './vector';

/** Rows of a block: with an inner size of 256 they take 256 KB, which stay in the second-level cache for all panels. */
const BLOCK_ROWS: i32 = 256;
/** The largest inner size of a product of one row that reads B row after row. */
const SHORT: i32 = 64;
/** The number of rows below which copying a panel costs more than reading B in its place. */
const PACKED_ROWS: i32 = 8;
/** Results of four rows of a panel that is narrower than 8, on their way to C. */
const TILE_FLOATS: i32 = 4 * WIDTH;

/** Items of a product with m rows and n columns. */
export function gemmItems(m: i32, n: i32): i32 {
  return ((m + BLOCK_ROWS - 1) / BLOCK_ROWS) * ((n + WIDTH - 1) / WIDTH);
}

/** Scratch memory holds panels of floats, these and a block of rows of a transposed A, panels of a frozen matrix, or codes for one row. */
const OF_FLOATS: i32 = 0;
const WITH_FOURS: i32 = 1;
const OF_FROZEN: i32 = 2;
const OF_CODES: i32 = 3;

/** Floats of scratch memory that every thread needs for an inner size of k. */
export function gemmScratch(k: i32, contents: i32): i32 {
  const each = contents == OF_FLOATS ? COPIED * WIDTH
    : contents == WITH_FOURS ? COPIED * WIDTH + BLOCK_ROWS
    : contents == OF_FROZEN ? 2 * WIDTH
    : CODE_FLOATS;
  return each * k + TILE_FLOATS;
}

/** The form in which a kernel reads B: floats, floats of its transpose, or the words of a frozen matrix (`frozen.ts`) or of its transpose. */
const FLOATS: i32 = 0;
const TRANSPOSED: i32 = 1;
const FROZEN: i32 = 2;
const FROZEN_TRANSPOSED: i32 = 3;

/** Adds what comes after the product and stores 8 columns of one row. */
@inline
function storeRow(target: usize, left: v128, right: v128, bias: usize, residual: usize): void {
  if (bias) {
    left = f32x4.add(left, v128.load(bias));
    right = f32x4.add(right, v128.load(bias, 16));
  }
  if (residual) {
    left = f32x4.add(left, v128.load(residual));
    right = f32x4.add(right, v128.load(residual, 16));
  }
  v128.store(target, left);
  v128.store(target, right, 16);
}

/**
 * Computes `rows` x 8 of C. Rows of A are `aRow` bytes apart and elements of a row `aStep`; rows of B are `bRow` apart. The sums start
 * from the contents of C if `accumulate` is not 0; `bias` and `residual` are added last, unless they are null.
 */
@inline
function tile(
  rows: i32, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, c: usize, cRow: usize, k: i32,
  accumulate: i32, bias: usize, residual: usize,
): void {
  const a1 = aRow, a2 = 2 * aRow, a3 = 3 * aRow;
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  if (accumulate) {
    c00 = v128.load(c);
    c01 = v128.load(c, 16);
    if (rows > 1) { c10 = v128.load(c + cRow); c11 = v128.load(c + cRow, 16); }
    if (rows > 2) { c20 = v128.load(c + 2 * cRow); c21 = v128.load(c + 2 * cRow, 16); }
    if (rows > 3) { c30 = v128.load(c + 3 * cRow); c31 = v128.load(c + 3 * cRow, 16); }
  }
  for (let i = 0; i < k; i++) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let value = v128.load32_splat(a);
    c00 = plusProduct(c00, value, b0);
    c01 = plusProduct(c01, value, b1);
    if (rows > 1) {
      value = v128.load32_splat(a + a1);
      c10 = plusProduct(c10, value, b0);
      c11 = plusProduct(c11, value, b1);
    }
    if (rows > 2) {
      value = v128.load32_splat(a + a2);
      c20 = plusProduct(c20, value, b0);
      c21 = plusProduct(c21, value, b1);
    }
    if (rows > 3) {
      value = v128.load32_splat(a + a3);
      c30 = plusProduct(c30, value, b0);
      c31 = plusProduct(c31, value, b1);
    }
    a += aStep;
    b += bRow;
  }
  storeRow(c, c00, c01, bias, residual);
  if (rows > 1) storeRow(c + cRow, c10, c11, bias, residual ? residual + cRow : 0);
  if (rows > 2) storeRow(c + 2 * cRow, c20, c21, bias, residual ? residual + 2 * cRow : 0);
  if (rows > 3) storeRow(c + 3 * cRow, c30, c31, bias, residual ? residual + 3 * cRow : 0);
}

/** `count` rows (at most 4) x 8 of C. */
@inline
function tileOf(
  count: i32, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, c: usize, cRow: usize, k: i32,
  accumulate: i32, bias: usize, residual: usize,
): void {
  if (count >= 4) tile(4, a, aRow, aStep, b, bRow, c, cRow, k, accumulate, bias, residual);
  else if (count == 3) tile(3, a, aRow, aStep, b, bRow, c, cRow, k, accumulate, bias, residual);
  else if (count == 2) tile(2, a, aRow, aStep, b, bRow, c, cRow, k, accumulate, bias, residual);
  else tile(1, a, aRow, aStep, b, bRow, c, cRow, k, accumulate, bias, residual);
}

/** One row of four panels at once: single rows are bound by the reading of B, and this reads whole cache lines. */
@inline
function wideRow(
  a: usize, aStep: usize, b: usize, bRow: usize, c: usize, k: i32, accumulate: i32, bias: usize, residual: usize,
): void {
  let c0 = f32x4.splat(0), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0;
  if (accumulate) {
    c0 = v128.load(c); c1 = v128.load(c, 16); c2 = v128.load(c, 32); c3 = v128.load(c, 48);
    c4 = v128.load(c, 64); c5 = v128.load(c, 80); c6 = v128.load(c, 96); c7 = v128.load(c, 112);
  }
  for (let i = 0; i < k; i++) {
    const value = v128.load32_splat(a);
    c0 = plusProduct(c0, value, v128.load(b));
    c1 = plusProduct(c1, value, v128.load(b, 16));
    c2 = plusProduct(c2, value, v128.load(b, 32));
    c3 = plusProduct(c3, value, v128.load(b, 48));
    c4 = plusProduct(c4, value, v128.load(b, 64));
    c5 = plusProduct(c5, value, v128.load(b, 80));
    c6 = plusProduct(c6, value, v128.load(b, 96));
    c7 = plusProduct(c7, value, v128.load(b, 112));
    a += aStep;
    b += bRow;
  }
  storeRow(c, c0, c1, bias, residual);
  storeRow(c + 32, c2, c3, bias ? bias + 32 : 0, residual ? residual + 32 : 0);
  storeRow(c + 64, c4, c5, bias ? bias + 64 : 0, residual ? residual + 64 : 0);
  storeRow(c + 96, c6, c7, bias ? bias + 96 : 0, residual ? residual + 96 : 0);
}

/**
 * One row of `columns` columns, a multiple of 8, by reading B row after row, as it lies in memory: with a small inner size each of its
 * floats comes from there and is used once. C is read and written for every four rows of B.
 */
@inline
function shortRow(
  a: usize, aStep: usize, b: usize, bRow: usize, c: usize, columns: i32, k: i32, accumulate: i32, bias: usize, residual: usize,
): void {
  const end = c + (<usize>columns << 2);
  if (!accumulate) memory.fill(c, 0, end - c);
  let i = 0;
  for (; i + 4 <= k; i += 4, a += 4 * aStep, b += 4 * bRow) {
    const v0 = v128.load32_splat(a), v1 = v128.load32_splat(a + aStep);
    const v2 = v128.load32_splat(a + 2 * aStep), v3 = v128.load32_splat(a + 3 * aStep);
    let from = b;
    for (let to = c; to < end; to += 16, from += 16) {
      let sum = plusProduct(v128.load(to), v0, v128.load(from));
      sum = plusProduct(sum, v1, v128.load(from + bRow));
      sum = plusProduct(sum, v2, v128.load(from + 2 * bRow));
      v128.store(to, plusProduct(sum, v3, v128.load(from + 3 * bRow)));
    }
  }
  for (; i < k; i++, a += aStep, b += bRow) {
    const value = v128.load32_splat(a);
    let from = b;
    for (let to = c; to < end; to += 16, from += 16) v128.store(to, plusProduct(v128.load(to), value, v128.load(from)));
  }
  for (let to = c; bias && to < end; to += 16, bias += 16) v128.store(to, f32x4.add(v128.load(to), v128.load(bias)));
  for (let to = c; residual && to < end; to += 16, residual += 16) {
    v128.store(to, f32x4.add(v128.load(to), v128.load(residual)));
  }
}

/** Copies `rows` x `columns` floats. */
function copyTile(from: usize, fromRow: usize, to: usize, toRow: usize, rows: i32, columns: i32): void {
  for (let row = 0; row < rows; row++) {
    memory.copy(to + <usize>row * toRow, from + <usize>row * fromRow, <usize>columns << 2);
  }
}

/** Adds `rows` x `columns` floats to a tile. */
function addTile(from: usize, fromRow: usize, tile: usize, rows: i32, columns: i32): void {
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const target = tile + (<usize>(row * WIDTH + column) << 2);
      store<f32>(target, load<f32>(target) + load<f32>(from + <usize>row * fromRow + (<usize>column << 2)));
    }
  }
}

/**
 * Computes items first … last − 1 of C. Rows of A, or elements of its rows if it is transposed, are `aRow` bytes apart; rows of C and
 * `residual` are `cRow` apart. Rows of B, or of its transpose, are `bRow` bytes apart; a frozen matrix begins at element `bFirst`, and its
 * rows are `bRow` elements. C is overwritten, or added to if `accumulate` is not 0; `bias` [n] and `residual` [m, n] may be null.
 */
@inline
function panels(
  first: i32, last: i32, isTransposed: i32, source: i32, format: i32, bFirst: i32,
  a: usize, aRow: usize, b: usize, bRow: usize, c: usize, cRow: usize, m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, residual: usize, scratch: usize,
): void {
  const isRowOfCodes = source == FROZEN_TRANSPOSED && format >= BLOCKS && m == 1;
  const contents = isTransposed ? WITH_FOURS : source < FROZEN ? OF_FLOATS : isRowOfCodes ? OF_CODES : OF_FROZEN;
  const narrow = ownPart(scratch, <usize>gemmScratch(k, contents) << 2);
  const panel = narrow + TILE_FLOATS * 4;
  const next = panel + <usize>k * WIDTH * 4;
  const fours = panel + <usize>k * (COPIED * WIDTH * 4);
  // The bytes from row to row of A, or of its copy in fours, and from element to element.
  const tileRow: usize = isTransposed ? 4 : aRow, tileStep: usize = isTransposed ? 16 : 4;
  // The first row that `fours` has, and the panels that are copied and not used yet, from `ahead` on.
  let rowOfFours = -1, copied = 0, ahead = panel;
  const perBlock = (n + WIDTH - 1) / WIDTH;
  for (let item = first; item < last; item++) {
    const rowBegin = item / perBlock * BLOCK_ROWS;
    const rowEnd = min(rowBegin + BLOCK_ROWS, m);
    const column = (item % perBlock) * WIDTH;
    const width = min(n - column, WIDTH);
    const shift = <usize>column << 2;
    if (source == FLOATS && m == 1 && k <= SHORT && column + WIDTH <= n) {
      const count = min(last - item, (n - column) / WIDTH);
      shortRow(a, isTransposed ? aRow : 4, b + shift, bRow, c + shift, count * WIDTH, k, accumulate,
        bias ? bias + shift : 0, residual ? residual + shift : 0);
      item += count - 1;
      continue;
    }
    if (source == FLOATS && m == 1 && item + 4 <= last && column + 4 * WIDTH <= n) {
      wideRow(a, isTransposed ? aRow : 4, b + shift, bRow, c + shift, k, accumulate, bias ? bias + shift : 0, residual ? residual + shift : 0);
      item += 3;
      continue;
    }
    if (isTransposed && rowBegin != rowOfFours) {
      packFours(a + (<usize>rowBegin << 2), aRow, rowEnd - rowBegin, k, fours);
      rowOfFours = rowBegin;
    }
    let from = panel;
    let fromRow: usize = WIDTH * 4;
    if (source == FROZEN_TRANSPOSED) touchRows(format, b, bFirst + column * <i32>bRow, <i32>bRow, width, k, narrow);
    if (source == FROZEN && format >= BLOCKS) {
      // Two panels are unpacked at once, and the second is kept for the next item. A row is whole blocks, so there is one.
      const isSecond = (column & WIDTH) != 0;
      if (!isSecond || item == first) {
        packBlockColumns(format, b, bFirst + (column & ~15), <i32>bRow, k, panel, next);
      }
      from = isSecond ? next : panel;
    } else if (source == FROZEN) {
      packColumns(format, b, bFirst + column, <i32>bRow, width, k, panel);
    } else if (source == FROZEN_TRANSPOSED && format >= BLOCKS) {
      const codes = isRowOfCodes ? panel : next;
      packCodes(format, b, bFirst + column * <i32>bRow, <i32>bRow, width, k, codes);
      if (isRowOfCodes) {
        // Floats that are used once are not written to memory.
        const target = c + (<usize>column << 2);
        if (accumulate) copyTile(target, 0, narrow, 0, 1, width);
        multiplyCodes(format, a, codes, k, narrow, accumulate);
        if (bias) addTile(bias + (<usize>column << 2), 0, narrow, 1, width);
        if (residual) addTile(residual + (<usize>column << 2), 0, narrow, 1, width);
        copyTile(narrow, 0, target, 0, 1, width);
        continue;
      }
      widenCodes(format, codes, k, panel);
    } else if (source == FROZEN_TRANSPOSED) {
      packRowsAcross(format, b, bFirst + column * <i32>bRow, <i32>bRow, width, k, panel);
    } else if (source == TRANSPOSED) {
      packAcross(b + <usize>column * bRow, bRow, width, k, k, panel);
    } else if (width < WIDTH) {
      pack(b + (<usize>column << 2), bRow, width, k, panel);
    } else if (rowEnd - rowBegin >= PACKED_ROWS) {
      if (copied == 0) {
        copied = min(min(last - item, (n - column) / WIDTH), COPIED);
        packPanels(b + (<usize>column << 2), bRow, copied, k, panel);
        ahead = panel;
      }
      from = ahead;
      ahead += <usize>k * WIDTH * 4;
      copied--;
    } else {
      from = b + (<usize>column << 2);
      fromRow = bRow;
    }
    for (let row = rowBegin; row < rowEnd; row += 4) {
      const count = min(rowEnd - row, 4);
      const fromA = isTransposed ? fours + <usize>(row - rowBegin) * (<usize>k << 2) : a + <usize>row * aRow;
      const offset = <usize>row * cRow + (<usize>column << 2);
      if (width == WIDTH) {
        tileOf(count, fromA, tileRow, tileStep, from, fromRow, c + offset, cRow, k, accumulate,
          bias ? bias + (<usize>column << 2) : 0, residual ? residual + offset : 0);
        continue;
      }
      if (accumulate) copyTile(c + offset, cRow, narrow, WIDTH * 4, count, width);
      tileOf(count, fromA, tileRow, tileStep, from, fromRow, narrow, WIDTH * 4, k, accumulate, 0, 0);
      if (bias) addTile(bias + (<usize>column << 2), 0, narrow, count, width);
      if (residual) addTile(residual + offset, cRow, narrow, count, width);
      copyTile(narrow, WIDTH * 4, c + offset, cRow, count, width);
    }
  }
}

/** A [m, k], B [k, n]. */
export function gemmNN(
  first: i32, last: i32, a: usize, aRow: usize, b: usize, bRow: usize, c: usize, cRow: usize, m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, residual: usize, scratch: usize,
): void {
  panels(first, last, 0, FLOATS, 0, 0, a, aRow, b, bRow, c, cRow, m, n, k, accumulate, bias, residual, scratch);
}

/** A [m, k], B [n, k]. */
export function gemmNT(
  first: i32, last: i32, a: usize, aRow: usize, b: usize, bRow: usize, c: usize, cRow: usize, m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, residual: usize, scratch: usize,
): void {
  panels(first, last, 0, TRANSPOSED, 0, 0, a, aRow, b, bRow, c, cRow, m, n, k, accumulate, bias, residual, scratch);
}

/** A [k, m], B [k, n]. */
export function gemmTN(
  first: i32, last: i32, a: usize, aRow: usize, b: usize, bRow: usize, c: usize, cRow: usize, m: i32, n: i32, k: i32,
  accumulate: i32, bias: usize, residual: usize, scratch: usize,
): void {
  panels(first, last, 1, FLOATS, 0, 0, a, aRow, b, bRow, c, cRow, m, n, k, accumulate, bias, residual, scratch);
}

/** A [m, k], B [k, n] frozen in any format but f32. */
export function gemmFrozenNN(
  first: i32, last: i32, format: i32, bFirst: i32, a: usize, aRow: usize, b: usize, bRow: usize, c: usize,
  cRow: usize, m: i32, n: i32, k: i32, accumulate: i32, bias: usize, residual: usize, scratch: usize,
): void {
  panels(first, last, 0, FROZEN, format, bFirst, a, aRow, b, bRow, c, cRow, m, n, k, accumulate, bias, residual, scratch);
}

/** A [m, k], B [n, k] frozen in any format but f32. */
export function gemmFrozenNT(
  first: i32, last: i32, format: i32, bFirst: i32, a: usize, aRow: usize, b: usize, bRow: usize, c: usize,
  cRow: usize, m: i32, n: i32, k: i32, accumulate: i32, bias: usize, residual: usize, scratch: usize,
): void {
  panels(first, last, 0, FROZEN_TRANSPOSED, format, bFirst, a, aRow, b, bRow, c, cRow, m, n, k, accumulate, bias, residual, scratch);
}
