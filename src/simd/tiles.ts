/**
 * Products of four rows by eight columns, whose 32 sums stay in registers. One step of the inner size to a turn of the loop:
 * V8 moves the loads of an unrolled loop together, runs out of registers and takes 1.4 times as long.
 */

@inline
function plusProduct(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/**
 * A row of tiles: C [4][8 · tiles] = A [4][inner] · B, or C += it where `more` is not 0. B has a panel [inner][8] for each tile,
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
  const row1 = strideC, row2 = row1 + strideC, row3 = row2 + strideC;
  const end = a + (<usize>inner << 2);
  for (const last = c + (<usize>tiles << 5); c < last; c += 32) {
    let sum00 = f32x4.splat(0), sum01 = sum00;
    let sum10 = sum00, sum11 = sum00;
    let sum20 = sum00, sum21 = sum00;
    let sum30 = sum00, sum31 = sum00;
    if (more) {
      sum00 = v128.load(c);
      sum01 = v128.load(c, 16);
      sum10 = v128.load(c + row1);
      sum11 = v128.load(c + row1, 16);
      sum20 = v128.load(c + row2);
      sum21 = v128.load(c + row2, 16);
      sum30 = v128.load(c + row3);
      sum31 = v128.load(c + row3, 16);
    }
    let a0 = a, a1 = a0 + strideA, a2 = a1 + strideA, a3 = a2 + strideA;
    let from = b;
    while (a0 < end) {
      const b0 = v128.load(from), b1 = v128.load(from, 16);
      const x0 = v128.load32_splat(a0), x1 = v128.load32_splat(a1);
      const x2 = v128.load32_splat(a2), x3 = v128.load32_splat(a3);
      sum00 = plusProduct(sum00, x0, b0);
      sum01 = plusProduct(sum01, x0, b1);
      sum10 = plusProduct(sum10, x1, b0);
      sum11 = plusProduct(sum11, x1, b1);
      sum20 = plusProduct(sum20, x2, b0);
      sum21 = plusProduct(sum21, x2, b1);
      sum30 = plusProduct(sum30, x3, b0);
      sum31 = plusProduct(sum31, x3, b1);
      from += 32;
      a0 += 4;
      a1 += 4;
      a2 += 4;
      a3 += 4;
    }
    b += panelBytes;
    v128.store(c, sum00);
    v128.store(c, sum01, 16);
    v128.store(c + row1, sum10);
    v128.store(c + row1, sum11, 16);
    v128.store(c + row2, sum20);
    v128.store(c + row2, sum21, 16);
    v128.store(c + row3, sum30);
    v128.store(c + row3, sum31, 16);
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
    let sum00 = v128.load(c), sum01 = v128.load(c, 16);
    let sum10 = v128.load(c, 32), sum11 = v128.load(c, 48);
    let sum20 = v128.load(c, 64), sum21 = v128.load(c, 80);
    let sum30 = v128.load(c, 96), sum31 = v128.load(c, 112);
    let a0 = a, from = b;
    for (let row = 0; row < rows; row++) {
      // Offsets written into these loads would each cost an instruction more than the sums here.
      const a1 = a0 + 4, a2 = a0 + 8, a3 = a0 + 12;
      const b0 = v128.load(from), b1 = v128.load(from, 16);
      const x0 = v128.load32_splat(a0), x1 = v128.load32_splat(a1);
      const x2 = v128.load32_splat(a2), x3 = v128.load32_splat(a3);
      sum00 = plusProduct(sum00, x0, b0);
      sum01 = plusProduct(sum01, x0, b1);
      sum10 = plusProduct(sum10, x1, b0);
      sum11 = plusProduct(sum11, x1, b1);
      sum20 = plusProduct(sum20, x2, b0);
      sum21 = plusProduct(sum21, x2, b1);
      sum30 = plusProduct(sum30, x3, b0);
      sum31 = plusProduct(sum31, x3, b1);
      a0 += strideA;
      from += strideB;
    }
    v128.store(c, sum00);
    v128.store(c, sum01, 16);
    v128.store(c, sum10, 32);
    v128.store(c, sum11, 48);
    v128.store(c, sum20, 64);
    v128.store(c, sum21, 80);
    v128.store(c, sum30, 96);
    v128.store(c, sum31, 112);
    c += panelBytes;
  }
}
