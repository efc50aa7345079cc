/** IEEE 754 binary16: floats rounded to halves, and halves widened. */
import { at } from './vector';

/** The nearest halves, ties to even, in the lower halves of four words; infinity beyond 65504 (rounded). */
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

/** The factors from the exponent of f16 to that of f32. Their products also make subnormal numbers normal. */
const REBIAS: f32 = 5.192296858534827628530496329220096e33;
const REBIAS_BACK: f32 = 1.92592994438723585305597794258492732e-34;

/**
 * Widens f16 in the upper halves of four words, exactly. 2^112 twice and back leaves every finite number unchanged; an infinite one or
 * NaN becomes infinite.
 */
@inline
export function widenHalf(words: v128): v128 {
  const shifted = v128.and(i32x4.shr_s(words, 3), i32x4.splat(0x8fffe000));
  const rebias = f32x4.splat(REBIAS);
  return f32x4.mul(f32x4.mul(f32x4.mul(shifted, rebias), rebias), f32x4.splat(REBIAS_BACK));
}

/** Rounds `count` floats, an even number, to halves. */
export function roundToHalves(from: usize, count: i32, to: usize): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const bits = halfBits(v128.load(at(from, i)));
    v128.store64_lane(to + (<usize>i << 1), i16x8.narrow_i32x4_u(bits, bits), 0);
  }
  if (i < count) {
    const bits = halfBits(v128.load64_zero(at(from, i)));
    v128.store32_lane(to + (<usize>i << 1), i16x8.narrow_i32x4_u(bits, bits), 0);
  }
}

/** Widens `count` halves, an even number. */
export function widenHalves(from: usize, count: i32, to: usize): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const words = i32x4.extend_low_i16x8_u(v128.load64_zero(from + (<usize>i << 1)));
    v128.store(at(to, i), widenHalf(i32x4.shl(words, 16)));
  }
  if (i < count) {
    const words = i32x4.extend_low_i16x8_u(v128.load32_zero(from + (<usize>i << 1)));
    v128.store64_lane(at(to, i), widenHalf(i32x4.shl(words, 16)), 0);
  }
}

/** Items are groups of four floats, which become two words each. */
export function storeHalves(first: i32, last: i32, from: usize, to: usize): void {
  roundToHalves(at(from, 4 * first), 4 * (last - first), at(to, 2 * first));
}
