/** Four 32-bit floats in a register: loads, stores and sums that every kernel uses. Counts are in floats, addresses in bytes. */

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
