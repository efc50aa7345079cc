/** Rows of scores that become softmax weights. Scores count factors of two; a row is as long as a multiple of 8. */
import { powerOfTwo } from './math';
import { at } from './vector';

export const LOG2_E: f64 = 1.4426950408889634;
export const LN_2: f32 = 0.6931471805599453;

/** Sets the scores after `last` to −∞; `last` is one of the last 8 of `count`. */
@inline
export function hideAfter(scores: usize, last: i32, count: i32): void {
  hideAmongFour(at(scores, count - 8), last - count + 8);
  hideAmongFour(at(scores, count - 4), last - count + 4);
}

@inline
function hideAmongFour(scores: usize, last: i32): void {
  const hidden = i32x4.gt_s(i32x4(0, 1, 2, 3), i32x4.splat(last));
  v128.store(scores, v128.bitselect(f32x4.splat(-Infinity), v128.load(scores), hidden));
}

/** Sets the first `hidden` scores to −∞. */
@inline
export function hideBefore(scores: usize, hidden: i32): void {
  for (let i = 0; i < hidden; i += 4) {
    const seen = i32x4.ge_s(i32x4(0, 1, 2, 3), i32x4.splat(hidden - i));
    v128.store(at(scores, i), v128.bitselect(v128.load(at(scores, i)), f32x4.splat(-Infinity), seen));
  }
}

/** The largest of `count` scores, a multiple of 8, in each lane. */
@inline
export function largest(scores: usize, count: i32): v128 {
  let even = v128.load(scores);
  let odd = v128.load(scores, 16);
  for (let from = scores + 32, end = at(scores, count); from < end; from += 32) {
    even = f32x4.pmax(even, v128.load(from));
    odd = f32x4.pmax(odd, v128.load(from, 16));
  }
  return f32x4.pmax(even, odd);
}

/** Scores become weights, 2^(score − peak); returns their sum in each lane. */
@inline
export function weigh(scores: usize, count: i32, peak: f32): v128 {
  const peaks = f32x4.splat(peak);
  let sum = f32x4.splat(0);
  for (let from = scores, end = at(scores, count); from < end; from += 32) {
    const even = powerOfTwo(f32x4.sub(v128.load(from), peaks));
    const odd = powerOfTwo(f32x4.sub(v128.load(from, 16), peaks));
    v128.store(from, even);
    v128.store(from, odd, 16);
    sum = f32x4.add(sum, f32x4.add(even, odd));
  }
  return sum;
}

/** The sum over the lanes of each of four registers. */
@inline
export function sumsOfRows(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7), cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  return f32x4.add(
    f32x4.add(v128.shuffle<f64>(ab, cd, 0, 2), v128.shuffle<f64>(ab, cd, 1, 3)),
    f32x4.add(v128.shuffle<f64>(abHigh, cdHigh, 0, 2), v128.shuffle<f64>(abHigh, cdHigh, 1, 3)),
  );
}

/** The largest lane of each of four registers. */
@inline
export function largestOfRows(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5), cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const abHigh = v128.shuffle<f32>(a, b, 2, 6, 3, 7), cdHigh = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  return f32x4.pmax(
    f32x4.pmax(v128.shuffle<f64>(ab, cd, 0, 2), v128.shuffle<f64>(ab, cd, 1, 3)),
    f32x4.pmax(v128.shuffle<f64>(abHigh, cdHigh, 0, 2), v128.shuffle<f64>(abHigh, cdHigh, 1, 3)),
  );
}
