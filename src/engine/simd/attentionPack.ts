/**
 * Copies heads out of rows q | k | v into the order in which the tiles of `tiles.ts` read them, padded with zeros. `stride` is in bytes,
 * counts are in rows and floats; `padded` is the head's size rounded up to 8. `gemm.ts` packs a transposed matrix in the same way.
 */
import { at } from './vector';

@inline
export function paddedTo8(size: i32): i32 {
  return (size + 7) & ~7;
}

/** Rows as panels [rows / 8][padded][8]: eight rows side by side. */
export function packAcross(from: usize, stride: usize, rows: i32, headDim: i32, padded: i32, to: usize): void {
  for (let row = 0; row < rows; row += 8) {
    packFour(from, stride, rows - row, headDim, padded, to);
    packFour(from + 4 * stride, stride, rows - row - 4, headDim, padded, to + 16);
    from += 8 * stride;
    to += <usize>padded << 5;
  }
}

function packFour(from: usize, stride: usize, rows: i32, headDim: i32, padded: i32, to: usize): void {
  const from1 = from + stride, from2 = from1 + stride, from3 = from2 + stride;
  let i = 0;
  if (rows >= 4) {
    for (; i + 4 <= headDim; i += 4) {
      const a = v128.load(at(from, i)), b = v128.load(at(from1, i));
      const c = v128.load(at(from2, i)), d = v128.load(at(from3, i));
      const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
      const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7), cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f64>(ab, cd, 0, 2));
      v128.store(to, v128.shuffle<f64>(ab, cd, 1, 3), 32);
      v128.store(to, v128.shuffle<f64>(abHigh, cdHigh, 0, 2), 64);
      v128.store(to, v128.shuffle<f64>(abHigh, cdHigh, 1, 3), 96);
      to += 128;
    }
  }
  for (; i < padded; i++) {
    for (let row = 0; row < 4; row++) {
      const inside = i < headDim && row < rows;
      store<f32>(at(to, row), inside ? load<f32>(at(from + <usize>row * stride, i)) : 0);
    }
    to += 32;
  }
}

/** Rows as panels [padded / 8][paddedRows][8]: eight elements of every row. */
export function packAlong(
  from: usize,
  stride: usize,
  rows: i32,
  headDim: i32,
  paddedRows: i32,
  to: usize,
): void {
  for (let i = 0; i < headDim; i += 8) {
    let source = at(from, i);
    const end = to + (<usize>rows << 5);
    if (i + 8 <= headDim) {
      for (; to < end; to += 32) {
        v128.store(to, v128.load(source));
        v128.store(to, v128.load(source, 16), 16);
        source += stride;
      }
    } else {
      for (; to < end; to += 32) {
        for (let j = 0; j < 8; j++) store<f32>(at(to, j), i + j < headDim ? load<f32>(at(source, j)) : 0);
        source += stride;
      }
    }
    const rest = <usize>(paddedRows - rows) << 5;
    memory.fill(to, 0, rest);
    to += rest;
  }
}

/** The inverse of `packAlong`, times `factor`. */
export function unpackAlong(
  from: usize,
  factor: f32,
  rows: i32,
  headDim: i32,
  paddedRows: i32,
  to: usize,
  stride: usize,
): void {
  const four = f32x4.splat(factor);
  for (let i = 0; i < headDim; i += 8) {
    let source = from + (<usize>(i * paddedRows) << 2);
    let target = at(to, i);
    const end = source + (<usize>rows << 5);
    if (i + 8 <= headDim) {
      for (; source < end; source += 32) {
        v128.store(target, f32x4.mul(four, v128.load(source)));
        v128.store(target, f32x4.mul(four, v128.load(source, 16)), 16);
        target += stride;
      }
    } else {
      for (; source < end; source += 32) {
        for (let j = 0; i + j < headDim; j++) store<f32>(at(target, j), factor * load<f32>(at(source, j)));
        target += stride;
      }
    }
  }
}

/** `rows` rows times `factor` as [paddedRows][padded]. */
export function packRows(
  from: usize,
  stride: usize,
  rows: i32,
  paddedRows: i32,
  headDim: i32,
  padded: i32,
  factor: f32,
  to: usize,
): void {
  const four = f32x4.splat(factor);
  for (let row = 0; row < rows; row++) {
    let i = 0;
    for (; i + 4 <= headDim; i += 4) v128.store(at(to, i), f32x4.mul(four, v128.load(at(from, i))));
    for (; i < padded; i++) store<f32>(at(to, i), i < headDim ? factor * load<f32>(at(from, i)) : 0);
    from += stride;
    to += <usize>padded << 2;
  }
  memory.fill(to, 0, <usize>((paddedRows - rows) * padded) << 2);
}

/** One row of a head, times four equal factors. */
@inline
export function storeRow(from: usize, factor: v128, headDim: i32, to: usize): void {
  let i = 0;
  for (; i + 4 <= headDim; i += 4) v128.store(at(to, i), f32x4.mul(factor, v128.load(at(from, i))));
  for (; i < headDim; i++) store<f32>(at(to, i), f32x4.extract_lane(factor, 0) * load<f32>(at(from, i)));
}
