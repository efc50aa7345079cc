/** IEEE 754 binary16: floats rounded to halves. */
import { at } from './vector';

/** The nearest halves, ties to even, in the lower halves of four words; beyond 65504 (rounded) infinity. */
@inline
function halfBits(v: v128): v128 {
  const magnitude = v128.and(v, i32x4.splat(0x7fffffff));
  const odd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1));
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(magnitude, i32x4.splat(0xfff - 0x38000000)), odd), 13);
  // Adding ½ makes f32 itself round to the unit of subnormal halves, 2⁻²⁴.
  const tiny = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000));
  let half = v128.bitselect(tiny, normal, i32x4.lt_s(magnitude, i32x4.splat(0x38800000)));
  half = v128.bitselect(i32x4.splat(0x7c00), half, i32x4.ge_s(magnitude, i32x4.splat(0x477ff000)));
  half = v128.bitselect(i32x4.splat(0x7e00), half, i32x4.gt_s(magnitude, i32x4.splat(0x7f800000)));
  return v128.or(half, v128.and(i32x4.shr_u(v, 16), i32x4.splat(0x8000)));
}

/** Items are groups of four floats, which become two words each. */
export function storeHalves(first: i32, last: i32, from: usize, to: usize): void {
  for (let group = first; group < last; group++) {
    const bits = halfBits(v128.load(at(from, 4 * group)));
    v128.store64_lane(at(to, 2 * group), i16x8.narrow_i32x4_u(bits, bits), 0);
  }
}
