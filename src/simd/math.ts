/** Exponential and natural logarithm of four floats at once. Polynomials of the Cephes library (Moshier 1992). */

/** Adding this to a float of magnitude below 2^22 rounds it, and leaves the integer in the low bits. */
const ROUNDING: f32 = 12582912;
const LOG2_E: f32 = 1.44269504088896341;
/** ln 2 in two parts: products of the first with an exponent are exact. */
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.12194440e-4;
/** Logarithms of the largest float and of the smallest normal one. */
const EXP_OVERFLOW: f32 = 88.72283905206835;
const EXP_UNDERFLOW: f32 = -87.33654475055310;

@inline
function step(sum: v128, x: v128, coefficient: f32): v128 {
  return f32x4.add(f32x4.mul(sum, x), f32x4.splat(coefficient));
}

/** eˣ, within 2 units in the last place. Infinite above ln(3.4e38); zero below ln(1.18e-38), where floats become subnormal. */
@inline
export function exp4(x: v128): v128 {
  const shifted = f32x4.add(f32x4.mul(x, f32x4.splat(LOG2_E)), f32x4.splat(ROUNDING));
  const n = f32x4.sub(shifted, f32x4.splat(ROUNDING));
  const r = f32x4.sub(
    f32x4.sub(x, f32x4.mul(n, f32x4.splat(LN2_HIGH))),
    f32x4.mul(n, f32x4.splat(LN2_LOW)),
  );
  let p = step(f32x4.splat(1.9875691500e-4), r, 1.3981999507e-3);
  p = step(p, r, 8.3334519073e-3);
  p = step(p, r, 4.1665795894e-2);
  p = step(p, r, 1.6666665459e-1);
  p = step(p, r, 5.0000001201e-1);
  p = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), f32x4.splat(1));
  // Times 2ⁿ, by adding n to the exponent.
  const scaled = i32x4.add(p, i32x4.shl(shifted, 23));
  const finite = v128.bitselect(
    f32x4.splat(Infinity),
    scaled,
    f32x4.gt(x, f32x4.splat(EXP_OVERFLOW)),
  );
  return v128.andnot(finite, f32x4.lt(x, f32x4.splat(EXP_UNDERFLOW)));
}

const SQRT_HALF_BITS: i32 = 0x3f3504f3;
const SMALLEST_NORMAL: f32 = 1.17549435e-38;

/** ln x, within 2 units in the last place. −∞ at zero, NaN below. */
@inline
export function log4(x: v128): v128 {
  const small = f32x4.lt(x, f32x4.splat(SMALLEST_NORMAL));
  const normal = v128.bitselect(f32x4.mul(x, f32x4.splat(8388608)), x, small);
  // x = m · 2ⁿ with m in [√½, √2).
  const offset = i32x4.sub(normal, i32x4.splat(SQRT_HALF_BITS));
  const exponent = i32x4.sub(i32x4.shr_s(offset, 23), v128.and(small, i32x4.splat(23)));
  const m = i32x4.add(v128.and(offset, i32x4.splat(0x007fffff)), i32x4.splat(SQRT_HALF_BITS));
  const n = f32x4.convert_i32x4_s(exponent);
  const r = f32x4.sub(m, f32x4.splat(1));
  let p = step(f32x4.splat(7.0376836292e-2), r, -1.1514610310e-1);
  p = step(p, r, 1.1676998740e-1);
  p = step(p, r, -1.2420140846e-1);
  p = step(p, r, 1.4249322787e-1);
  p = step(p, r, -1.6668057665e-1);
  p = step(p, r, 2.0000714765e-1);
  p = step(p, r, -2.4999993993e-1);
  p = step(p, r, 3.3333331174e-1);
  const square = f32x4.mul(r, r);
  let y = f32x4.mul(f32x4.mul(p, r), square);
  y = f32x4.add(y, f32x4.mul(n, f32x4.splat(LN2_LOW)));
  y = f32x4.sub(y, f32x4.mul(square, f32x4.splat(0.5)));
  y = f32x4.add(f32x4.add(r, y), f32x4.mul(n, f32x4.splat(LN2_HIGH)));
  // Infinity and NaN pass through.
  y = v128.bitselect(y, x, f32x4.lt(x, f32x4.splat(Infinity)));
  y = v128.bitselect(f32x4.splat(-Infinity), y, f32x4.eq(x, f32x4.splat(0)));
  return v128.bitselect(f32x4.splat(NaN), y, f32x4.lt(x, f32x4.splat(0)));
}

/** eˣ of one number, the same to the bit as among four. */
@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** ln x of one number, the same to the bit as among four. */
@inline
export function log1(x: f32): f32 {
  return f32x4.extract_lane(log4(f32x4.splat(x)), 0);
}
