/**
 * Products of four rows by eight columns, whose 32 sums stay in registers. One step of the inner size to a turn of the loop:
 * V8 moves the loads of an unrolled loop together, runs out of registers and takes 1.4 times as long.
 */

@inline
function plusProduct(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/**
 * C [4][8] = Σ_k A[row][k] · B[k][0 … 7], or C += it where `more` is not 0. B is contiguous; rows of A and C are `strideA` and
 * `strideC` bytes apart.
 */
export function productTile(
  a: usize,
  strideA: usize,
  b: usize,
  inner: i32,
  c: usize,
  strideC: usize,
  more: i32,
): void {
  let sum00 = f32x4.splat(0), sum01 = sum00;
  let sum10 = sum00, sum11 = sum00;
  let sum20 = sum00, sum21 = sum00;
  let sum30 = sum00, sum31 = sum00;
  const c1 = c + strideC, c2 = c1 + strideC, c3 = c2 + strideC;
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
  const end = a + (<usize>inner << 2);
  let a1 = a + strideA, a2 = a1 + strideA, a3 = a2 + strideA;
  while (a < end) {
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
    b += 32;
    a += 4;
    a1 += 4;
    a2 += 4;
    a3 += 4;
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

/** C [4][8], contiguous, += Σ_row A[row][0 … 3]ᵀ · B[row][0 … 7]; rows of A and B are `strideA` and `strideB` bytes apart. */
export function outerTile(a: usize, strideA: usize, b: usize, strideB: usize, rows: i32, c: usize): void {
  let sum00 = v128.load(c), sum01 = v128.load(c, 16);
  let sum10 = v128.load(c, 32), sum11 = v128.load(c, 48);
  let sum20 = v128.load(c, 64), sum21 = v128.load(c, 80);
  let sum30 = v128.load(c, 96), sum31 = v128.load(c, 112);
  for (let row = 0; row < rows; row++) {
    // Offsets written into these loads would each cost an instruction more than the sums here.
    const a1 = a + 4, a2 = a + 8, a3 = a + 12;
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
    a += strideA;
    b += strideB;
  }
  v128.store(c, sum00);
  v128.store(c, sum01, 16);
  v128.store(c, sum10, 32);
  v128.store(c, sum11, 48);
  v128.store(c, sum20, 64);
  v128.store(c, sum21, 80);
  v128.store(c, sum30, 96);
  v128.store(c, sum31, 112);
}
