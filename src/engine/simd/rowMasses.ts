/**
 * Finds the likeliest token of each row of logits, the largest scaled logit, and the sums of exponentials, in doubles. Results have the bits
 * of `rollout/decoding/sampler.ts`, whose exponential is computed here two at once for x ≤ 0, and terms are added one after the other.
 * The copyright notice of fdlibm, from which the exponential is translated, is in `rollout/decoding/elementary.ts`. Items are rows.
 */
import { at, maxOfLanes } from './vector';

const LN2: f64 = 0.6931471805599453;
const LN2_HIGH: f64 = 6.9314718036912381649e-1;
const LN2_LOW: f64 = 1.90821492927058770002e-10;
const INVERSE_LN2: f64 = 1.442695040888963387;
/** The exponential of anything below is 0. */
const LEAST: f64 = -745.1332191019412;
/** 2^-28: below it eˣ is 1 + x. */
const TINY: f64 = 3.725290298461914e-9;

@inline
function step(sum: v128, x: v128, coefficient: f64): v128 {
  return f64x2.add(f64x2.splat(coefficient), f64x2.mul(x, sum));
}

/** r − r² P(r²) = c, with e^r = 1 + r + r c / (2 − c). */
@inline
function remainders(r: v128): v128 {
  const t = f64x2.mul(r, r);
  let p = step(f64x2.splat(4.13813679705723846039e-8), t, -1.6533902205465251539e-6);
  p = step(p, t, 6.61375632143793436117e-5);
  p = step(p, t, -2.77777777770155933842e-3);
  p = step(p, t, 1.66666666666666019037e-1);
  return f64x2.sub(r, f64x2.mul(t, p));
}

/** 2^k for k from −1022 to 1023, of two integers in the low half. */
@inline
function powers(k: v128): v128 {
  return i64x2.shl(i64x2.add(i64x2.extend_low_i32x4_s(k), i64x2.splat(1023)), 52);
}

/** eˣ for x ≤ 0; NaN for NaN. */
@inline
function exponentials2(x: v128): v128 {
  const one = f64x2.splat(1), two = f64x2.splat(2);
  const size = f64x2.abs(x);
  // x = k ln 2 + r with |r| ≤ ln 2 / 2. Close to zero k is 0.
  const truncated = f64x2.trunc(f64x2.sub(f64x2.mul(f64x2.splat(INVERSE_LN2), x), f64x2.splat(0.5)));
  const isNear = f64x2.lt(size, f64x2.splat(1.5 * LN2));
  const k = v128.bitselect(f64x2.splat(-1), truncated, isNear);
  const high = f64x2.sub(x, f64x2.mul(k, f64x2.splat(LN2_HIGH)));
  const low = f64x2.mul(k, f64x2.splat(LN2_LOW));
  const isSmall = f64x2.le(size, f64x2.splat(0.5 * LN2));
  const r = v128.bitselect(x, f64x2.sub(high, low), isSmall);
  const c = remainders(r);
  const quotient = f64x2.div(f64x2.mul(r, c), f64x2.sub(two, c));
  const far = f64x2.sub(one, f64x2.sub(f64x2.sub(low, quotient), high));
  // The exponent in two steps where the result is subnormal.
  const whole = i32x4.trunc_sat_f64x2_s_zero(k);
  const isDeep = i32x4.lt_s(whole, i32x4.splat(-1021));
  const first = i32x4.add(whole, v128.and(isDeep, i32x4.splat(1000)));
  const second = v128.and(isDeep, i32x4.splat(-1000));
  const scaled = f64x2.mul(f64x2.mul(far, powers(first)), powers(second));
  // (x c) / (c − 2) is the quotient with the other sign.
  const small = f64x2.sub(one, f64x2.sub(f64x2.neg(quotient), x));
  let result = v128.bitselect(small, scaled, isSmall);
  result = v128.bitselect(f64x2.add(one, x), result, f64x2.lt(size, f64x2.splat(TINY)));
  result = v128.andnot(result, f64x2.lt(x, f64x2.splat(LEAST)));
  return v128.bitselect(x, result, f64x2.ne(x, x));
}

/** Σ exp(logit / T − most), in order. */
function sumOfExponentials(logits: usize, first: i32, end: i32, temperature: f64, most: f64): f64 {
  const divisor = f64x2.splat(temperature), peak = f64x2.splat(most);
  let total: f64 = 0;
  let i = first;
  for (; i + 4 <= end; i += 4) {
    const four = v128.load(at(logits, i));
    const upper = i64x2.shuffle(four, four, 1, 1);
    const a = exponentials2(f64x2.sub(f64x2.div(f64x2.promote_low_f32x4(four), divisor), peak));
    const b = exponentials2(f64x2.sub(f64x2.div(f64x2.promote_low_f32x4(upper), divisor), peak));
    total += f64x2.extract_lane(a, 0);
    total += f64x2.extract_lane(a, 1);
    total += f64x2.extract_lane(b, 0);
    total += f64x2.extract_lane(b, 1);
  }
  for (; i < end; i++) {
    const x = f64x2.splat(<f64>load<f32>(at(logits, i)) / temperature - most);
    total += f64x2.extract_lane(exponentials2(x), 0);
  }
  return total;
}

/** The largest of some logits; NaN if one of them is. */
function largestOf(logits: usize, first: i32, end: i32): f32 {
  let four = f32x4.splat(-Infinity);
  let i = first;
  for (; i + 4 <= end; i += 4) four = f32x4.max(four, v128.load(at(logits, i)));
  let largest = maxOfLanes(four);
  for (; i < end; i++) largest = max(largest, load<f32>(at(logits, i)));
  return largest;
}

/** The first place of a value among `count` logits; 0 if it is not there, as of NaN. */
function placeOf(logits: usize, count: i32, value: f32): i32 {
  for (let i = 0; i < count; i++) if (load<f32>(at(logits, i)) == value) return i;
  return 0;
}

/**
 * Writes four doubles for each row of `logits` [rows, vocab]: the first of the largest logits below `drawable`, the largest of all
 * logits / T, and exp(logit / T − it) summed over those below `drawable` and over all.
 */
export function rowMasses(
  first: i32,
  last: i32,
  logits: usize,
  vocab: i32,
  drawable: i32,
  temperature: f64,
  target: usize,
): void {
  for (let row = first; row < last; row++) {
    const from = at(logits, row * vocab);
    const likeliest = largestOf(from, 0, drawable);
    const most = <f64>max(likeliest, largestOf(from, drawable, vocab)) / temperature;
    const among = sumOfExponentials(from, 0, drawable, temperature, most);
    const total = among + sumOfExponentials(from, drawable, vocab, temperature, most);
    const to = target + (<usize>row << 5);
    store<f64>(to, <f64>placeOf(from, drawable, likeliest));
    store<f64>(to, most, 8);
    store<f64>(to, among, 16);
    store<f64>(to, total, 24);
  }
}
