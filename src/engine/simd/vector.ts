/**
 * Helpers of every kernel: addresses, the four floats of a register, and its thread's part of scratch memory. Counts are in floats,
 * addresses in bytes.
 */

/** Address of element `i` of an array of floats or ints. */
@inline
export function at(base: usize, i: i32): usize {
  return base + (<usize>i << 2);
}

/** Sum of the four lanes, in one fixed order. */
@inline
export function sumOfLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
  );
}

/** Largest of the four lanes. */
@inline
export function maxOfLanes(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
}

/**
 * sum + a · b. For relaxed SIMD it compiles to one instruction that rounds once, if the hardware has it (x86 since 2013, every 64-bit
 * ARM), and sums of products are a quarter faster. Otherwise product and sum are rounded each.
 */
@inline
export function plusProduct(sum: v128, a: v128, b: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(a, b, sum) : f32x4.add(sum, f32x4.mul(a, b));
}

/**
 * The number of the thread on which this instance of the kernels runs. A global of WebAssembly belongs to one instance, so threads do not
 * share it.
 */
let index: i32 = 0;

/** Sets the thread's number, once when it starts; the thread that calls kernels is number 0. */
export function setThread(value: i32): void {
  index = value;
}

/** This thread's part of a scratch block that holds `bytes` for every thread. */
@inline
export function ownPart(scratch: usize, bytes: usize): usize {
  return scratch + <usize>index * bytes;
}
