/** Powers of two and their logarithms, four at once: attention counts its scores in factors of two, which saves a product. */

/** Adding this to a float of magnitude below 2^22 rounds it, and leaves the integer in the low bits. */
const ROUNDING: f32 = 12582912;
/** Smaller powers are 0. No sum of softmax weights would notice them, and subnormal products are slow. */
const FLOOR: f32 = -100;

/**
 * 2^x for x ≤ 0, where 1 is exact, within 3 units in the last place; 0 for x below −100, NaN for NaN. Minimax polynomial of 2^f on
 * [−½, ½] with the constant 1, relative error 1e-7.
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
