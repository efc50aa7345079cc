/**
 * Functions of single values, four at once and over arrays. Exponential and natural logarithm are polynomials of the Cephes
 * library (Moshier 1992).
 */
import { at } from './vector';

/** Adding this to a float of magnitude below 2^22 rounds it, and leaves the integer in the low bits. */
const ROUNDING: f32 = 12582912;
const LOG2_E: f32 = 1.44269504088896341;
/** ln 2 in two parts: products of the first with an exponent are exact. */
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.12194440e-4;
/** The logarithm of the largest float. */
const EXP_OVERFLOW: f32 = 88.72283905206835;
/** The least float whose exponential is a normal one. ln(1.18e-38) itself rounds to the float below it. */
const EXP_UNDERFLOW: f32 = -87.33654022216797;

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

/** Smaller powers are 0. No sum of softmax weights would notice them, and subnormal products are slow. */
const FLOOR: f32 = -100;

/**
 * 2^x for x ≤ 0, where 1 is exact, within 3 units in the last place; 0 for x below −100, NaN for NaN. Attention counts its scores in
 * factors of two, which saves a product. The minimax polynomial of 2^f on [−½, ½] has the constant 1 and a relative error of 1e-7.
 */
@inline
export function powerOfTwo(x: v128): v128 {
  const shifted = f32x4.add(x, f32x4.splat(ROUNDING));
  const f = f32x4.sub(x, f32x4.sub(shifted, f32x4.splat(ROUNDING)));
  const f2 = f32x4.mul(f, f);
  const low = f32x4.add(f32x4.mul(f, f32x4.splat(0.69314700365)), f32x4.splat(1));
  const middle = f32x4.add(f32x4.mul(f, f32x4.splat(0.05550710857)), f32x4.splat(0.24022246897));
  const high = f32x4.add(f32x4.mul(f, f32x4.splat(0.00132696179)), f32x4.splat(0.00967129599));
  const p = f32x4.add(f32x4.mul(f32x4.add(f32x4.mul(high, f2), middle), f2), low);
  const scaled = i32x4.add(p, i32x4.shl(shifted, 23));
  return v128.andnot(scaled, f32x4.lt(x, f32x4.splat(FLOOR)));
}

/** Items are elements of arrays of floats, here and below. */
export function fill(first: i32, last: i32, target: usize, value: f32): void {
  const four = f32x4.splat(value);
  let i = first;
  for (; i + 4 <= last; i += 4) v128.store(at(target, i), four);
  for (; i < last; i++) store<f32>(at(target, i), value);
}

export function exponentials(first: i32, last: i32, source: usize, target: usize): void {
  let i = first;
  for (; i + 4 <= last; i += 4) {
    v128.store(at(target, i), exp4(v128.load(at(source, i))));
  }
  for (; i < last; i++) store<f32>(at(target, i), exp1(load<f32>(at(source, i))));
}

export function logarithms(first: i32, last: i32, source: usize, target: usize): void {
  let i = first;
  for (; i + 4 <= last; i += 4) {
    v128.store(at(target, i), log4(v128.load(at(source, i))));
  }
  for (; i < last; i++) store<f32>(at(target, i), log1(load<f32>(at(source, i))));
}
