/**
 * Softmax over rows of logits at a temperature: log-probability of a target and entropy, and their gradient; the formulas are
 * in `kernels/tokenLogprobs`. Items are rows.
 */
import { exp1, exp4, log1 } from './math';
import { at, maxOfLanes, sumOfLanes } from './vector';

/** Logits whose sums are kept in f32; sums of blocks are doubles, or the last of 100 000 small terms would be lost. */
const BLOCK: i32 = 1024;

@inline
function largestOf(logits: usize, count: i32): f32 {
  let four = f32x4.splat(-Infinity);
  let i = 0;
  for (; i + 4 <= count; i += 4) four = f32x4.max(four, v128.load(at(logits, i)));
  let largest = maxOfLanes(four);
  for (; i < count; i++) largest = max(largest, load<f32>(at(logits, i)));
  return largest;
}

/** Σ eᶻ and Σ eᶻ·z as two doubles, z = (logit − peak) · `inverse`. */
function softmaxSums(logits: usize, count: i32, peak: f32, inverse: f32): v128 {
  const peaks = f32x4.splat(peak), inverses = f32x4.splat(inverse);
  let sum: f64 = 0, weighted: f64 = 0;
  for (let block = 0; block < count; block += BLOCK) {
    const end = min(block + BLOCK, count);
    let sums = f32x4.splat(0), products = f32x4.splat(0);
    let i = block;
    for (; i + 4 <= end; i += 4) {
      const z = f32x4.mul(f32x4.sub(v128.load(at(logits, i)), peaks), inverses);
      const weight = exp4(z);
      sums = f32x4.add(sums, weight);
      products = f32x4.add(products, f32x4.mul(weight, z));
    }
    sum += <f64>sumOfLanes(sums);
    weighted += <f64>sumOfLanes(products);
    for (; i < end; i++) {
      const z = (load<f32>(at(logits, i)) - peak) * inverse;
      const weight = exp1(z);
      sum += <f64>weight;
      weighted += <f64>(weight * z);
    }
  }
  return f64x2(sum, weighted);
}

/** Log-probability and entropy of each row of `logits` [rows, vocab], in nats. */
export function rowLogprobs(
  first: i32,
  last: i32,
  logits: usize,
  vocab: i32,
  targets: usize,
  temperature: f32,
  logprobs: usize,
  entropies: usize,
): void {
  const inverse: f32 = 1 / temperature;
  for (let row = first; row < last; row++) {
    const from = at(logits, row * vocab);
    const peak = largestOf(from, vocab);
    const sums = softmaxSums(from, vocab, peak, inverse);
    const sum = f64x2.extract_lane(sums, 0);
    const logSum = log1(<f32>sum);
    const logit = load<f32>(at(from, load<i32>(at(targets, row))));
    store<f32>(at(logprobs, row), (logit - peak) * inverse - logSum);
    store<f32>(at(entropies, row), logSum - <f32>(f64x2.extract_lane(sums, 1) / sum));
  }
}

/** d logits = (d_logprob·(1[y] − p) − d_H·p·(log p + H)) / T, in place of `logits`. */
export function rowLogprobsGradient(
  first: i32,
  last: i32,
  logits: usize,
  vocab: i32,
  targets: usize,
  temperature: f32,
  dlogprobs: usize,
  dentropies: usize,
): void {
  const inverse: f32 = 1 / temperature;
  const inverses = f32x4.splat(inverse);
  for (let row = first; row < last; row++) {
    const from = at(logits, row * vocab);
    const peak = largestOf(from, vocab);
    const sums = softmaxSums(from, vocab, peak, inverse);
    const sum = f64x2.extract_lane(sums, 0);
    const logSum = log1(<f32>sum);
    const entropy = logSum - <f32>(f64x2.extract_lane(sums, 1) / sum);
    const dentropy = -inverse * load<f32>(at(dentropies, row));
    // d logit = p · (slope · log p + rest), and the target's own share.
    const dlogprob = inverse * load<f32>(at(dlogprobs, row));
    const rest = dentropy * entropy - dlogprob;
    const peaks = f32x4.splat(peak), logSums = f32x4.splat(logSum);
    const slopes = f32x4.splat(dentropy), rests = f32x4.splat(rest);
    let i = 0;
    for (; i + 4 <= vocab; i += 4) {
      const z = f32x4.mul(f32x4.sub(v128.load(at(from, i)), peaks), inverses);
      const logp = f32x4.sub(z, logSums);
      v128.store(at(from, i), f32x4.mul(exp4(logp), f32x4.add(f32x4.mul(slopes, logp), rests)));
    }
    for (; i < vocab; i++) {
      const logp = (load<f32>(at(from, i)) - peak) * inverse - logSum;
      store<f32>(at(from, i), exp1(logp) * (dentropy * logp + rest));
    }
    const target = at(from, load<i32>(at(targets, row)));
    store<f32>(target, load<f32>(target) + dlogprob);
  }
}
