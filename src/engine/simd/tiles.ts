/**
 * Products of four rows by eight columns, whose 32 sums stay in registers. One step of the inner size to a turn of the loop:
 * V8 moves the loads of an unrolled loop together, runs out of registers and takes 1.4 times as long.
 */
import { plusProduct } from './vector';

/**
 * Computes one tile: C [4][8] = A [4][inner] · B, or C += it if `more` is not 0. Rows of A are `rowA` bytes apart and elements of a row
 * `stepA`; rows of B are `stepB` apart, rows of C `rowC`.
 */
@inline
function tile(
  a: usize, rowA: usize, stepA: usize, b: usize, stepB: usize, inner: i32, c: usize, rowC: usize, more: i32,
): void {
  const c1 = c + rowC, c2 = c1 + rowC, c3 = c2 + rowC;
  let sum00 = f32x4.splat(0), sum01 = sum00;
  let sum10 = sum00, sum11 = sum00;
  let sum20 = sum00, sum21 = sum00;
  let sum30 = sum00, sum31 = sum00;
  if (more) {
    sum00 = v128.load(c);
    sum01 = v128.load(c, 16);
    sum10 = v128.load(c1);
    sum11 = v128.load(c1, 16);
    sum20 = v128.load(c2);
    sum21 = v128.load(c2, 16);
    sum30 = v128.load(c3);
    sum31 = v128.load(c3, 16);
  }
  const end = a + <usize>inner * stepA;
  // Four addresses: offsets written into the loads would each cost an instruction more than the sums here.
  let a1 = a + rowA, a2 = a1 + rowA, a3 = a2 + rowA;
  while (a != end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a), x1 = v128.load32_splat(a1);
    const x2 = v128.load32_splat(a2), x3 = v128.load32_splat(a3);
    sum00 = plusProduct(sum00, x0, b0);
    sum01 = plusProduct(sum01, x0, b1);
    sum10 = plusProduct(sum10, x1, b0);
    sum11 = plusProduct(sum11, x1, b1);
    sum20 = plusProduct(sum20, x2, b0);
    sum21 = plusProduct(sum21, x2, b1);
    sum30 = plusProduct(sum30, x3, b0);
    sum31 = plusProduct(sum31, x3, b1);
    b += stepB;
    a += stepA;
    a1 += stepA;
    a2 += stepA;
    a3 += stepA;
  }
  v128.store(c, sum00);
  v128.store(c, sum01, 16);
  v128.store(c1, sum10);
  v128.store(c1, sum11, 16);
  v128.store(c2, sum20);
  v128.store(c2, sum21, 16);
  v128.store(c3, sum30);
  v128.store(c3, sum31, 16);
}

/**
 * Computes a row of tiles: C [4][8 · tiles] = A [4][inner] · B, or C += it if `more` is not 0. B has a panel [inner][8] for each tile,
 * `panelBytes` apart; rows of A and C are `strideA` and `strideC` bytes apart.
 */
export function productTiles(
  a: usize,
  strideA: usize,
  b: usize,
  panelBytes: usize,
  inner: i32,
  c: usize,
  strideC: usize,
  tiles: i32,
  more: i32,
): void {
  for (const last = c + (<usize>tiles << 5); c < last; c += 32) {
    tile(a, strideA, 4, b, 32, inner, c, strideC, more);
    b += panelBytes;
  }
}

/**
 * C += A [rows][4]ᵀ · B [rows][8 · tiles], where C has contiguous tiles [4][8], `panelBytes` apart; rows of A and B are `strideA` and
 * `strideB` bytes apart.
 */
export function outerTiles(
  a: usize,
  strideA: usize,
  b: usize,
  strideB: usize,
  rows: i32,
  c: usize,
  panelBytes: usize,
  tiles: i32,
): void {
  for (const last = b + (<usize>tiles << 5); b < last; b += 32) {
    tile(a, 4, strideA, b, strideB, rows, c, 32, 1);
    c += panelBytes;
  }
}
