/**
 * Computes some columns of a matrix from a base and a product of small inner size: merged[i, column + j] = base[i, column + j] + scale ·
 * Σ_k left[k, i] · right[k, j], rounded to numbers that a half can hold if `rounded` is not 0. Every sum runs over k in ascending order,
 * whatever the rows beside it. Items are rows.
 */
import { at, plusProduct } from './vector';

/** The number of rows that share a read of `right`. */
const ROWS: i32 = 4;

/** The nearest halves, ties to even, as f32; beyond 65504 (rounded) infinity. */
@inline
function toHalves(v: v128): v128 {
  const magnitude = v128.and(v, i32x4.splat(0x7fffffff));
  const odd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1));
  const normal = v128.and(
    i32x4.add(i32x4.add(magnitude, i32x4.splat(0xfff)), odd),
    i32x4.splat(0xffffe000),
  );
  // Adding ½ makes f32 itself round to the unit of subnormal halves, 2⁻²⁴.
  const tiny = f32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), f32x4.splat(0.5));
  let rounded = v128.bitselect(tiny, normal, i32x4.lt_s(magnitude, i32x4.splat(0x38800000)));
  rounded = v128.bitselect(i32x4.splat(0x7f800000), rounded, i32x4.ge_s(magnitude, i32x4.splat(0x477ff000)));
  rounded = v128.bitselect(magnitude, rounded, i32x4.gt_s(magnitude, i32x4.splat(0x7f800000)));
  return v128.or(rounded, v128.and(v, i32x4.splat(0x80000000)));
}

@inline
function store4(base: usize, merged: usize, sum: v128, scale: v128, rounded: i32): void {
  const value = f32x4.add(v128.load(base), f32x4.mul(scale, sum));
  v128.store(merged, rounded ? toHalves(value) : value);
}

@inline
function store8(base: usize, merged: usize, low: v128, high: v128, scale: v128, rounded: i32): void {
  store4(base, merged, low, scale, rounded);
  store4(base + 16, merged + 16, high, scale, rounded);
}

/** Computes `rows` (4 or 1) x 8. Rows of `left` are `leftRow` bytes apart, those of `right` `rightRow`, those of base and result `width`. */
@inline
function tile(
  rows: i32, base: usize, merged: usize, width: usize, left: usize, leftRow: usize, right: usize, rightRow: usize,
  inner: i32, scale: v128, rounded: i32,
): void {
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  for (let k = 0; k < inner; k++) {
    const r0 = v128.load(right), r1 = v128.load(right, 16);
    let value = v128.load32_splat(left);
    s00 = plusProduct(s00, value, r0);
    s01 = plusProduct(s01, value, r1);
    if (rows > 1) {
      value = v128.load32_splat(left, 4);
      s10 = plusProduct(s10, value, r0);
      s11 = plusProduct(s11, value, r1);
      value = v128.load32_splat(left, 8);
      s20 = plusProduct(s20, value, r0);
      s21 = plusProduct(s21, value, r1);
      value = v128.load32_splat(left, 12);
      s30 = plusProduct(s30, value, r0);
      s31 = plusProduct(s31, value, r1);
    }
    left += leftRow;
    right += rightRow;
  }
  store8(base, merged, s00, s01, scale, rounded);
  if (rows > 1) {
    store8(base + width, merged + width, s10, s11, scale, rounded);
    store8(base + 2 * width, merged + 2 * width, s20, s21, scale, rounded);
    store8(base + 3 * width, merged + 3 * width, s30, s31, scale, rounded);
  }
}

/** One element. */
@inline
function single(
  base: usize, merged: usize, left: usize, leftRow: usize, right: usize, rightRow: usize, inner: i32, scale: f32,
  rounded: i32,
): void {
  let sum: f32 = 0;
  for (let k = 0; k < inner; k++) {
    sum += load<f32>(left) * load<f32>(right);
    left += leftRow;
    right += rightRow;
  }
  const value = load<f32>(base) + scale * sum;
  store<f32>(merged, rounded ? f32x4.extract_lane(toHalves(f32x4.splat(value)), 0) : value);
}

/** `base` and `merged` are [rows, width], `right` is [inner, columns]; `left` [inner, leftRows] begins at the first row's column. */
export function mergeColumns(
  first: i32, last: i32, base: usize, merged: usize, width: i32, column: i32,
  left: usize, leftRows: i32, right: usize, inner: i32, columns: i32, scale: f32, rounded: i32,
): void {
  const rowBytes = <usize>width << 2, leftRow = <usize>leftRows << 2, rightRow = <usize>columns << 2;
  const scales = f32x4.splat(scale);
  for (let row = first; row < last; ) {
    const rows = last - row >= ROWS ? ROWS : 1;
    const start = <usize>row * rowBytes + (<usize>column << 2);
    const factors = at(left, row);
    let j = 0;
    for (; j + 8 <= columns; j += 8) {
      const from = at(base + start, j), to = at(merged + start, j), factor = at(right, j);
      if (rows == ROWS) tile(ROWS, from, to, rowBytes, factors, leftRow, factor, rightRow, inner, scales, rounded);
      else tile(1, from, to, rowBytes, factors, leftRow, factor, rightRow, inner, scales, rounded);
    }
    for (; j < columns; j++) {
      for (let i = 0; i < rows; i++) {
        const here = at(start + <usize>i * rowBytes, j);
        single(base + here, merged + here, at(factors, i), leftRow, at(right, j), rightRow, inner, scale, rounded);
      }
    }
    row += rows;
  }
}
