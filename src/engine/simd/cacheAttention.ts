/**
 * Attention over a key/value cache, and copies into it; see `kernels/cacheAttention`. Keys and values are
 * [slots, capacity, kvHeads · headDim] in f32, or in f16 where `halves` is not 0, with position p at p % capacity. Head sizes are even.
 */
import { packRows, paddedTo8 } from './attentionPack';
import { roundToHalves, widenHalves } from './halves';
import { largest, LOG2_E, sumsOfRows, weigh } from './softmax';
import { at, maxOfLanes, ownPart, plusProduct, sumOfLanes } from './vector';

/** Floats of scratch memory for each thread: a query and its scores, and keys and values of a head that are widened. */
export function cacheAttentionScratch(capacity: i32, headDim: i32, halves: i32): i32 {
  return paddedTo8(headDim) + paddedTo8(capacity) + (halves ? 2 * capacity * headDim : 0);
}

/** Keeps one position's keys or values of all heads. */
@inline
function keep(from: usize, width: i32, to: usize, halves: i32): void {
  if (halves) roundToHalves(from, width, to);
  else memory.copy(to, from, <usize>width << 2);
}

/** Items are rows. Each stores its key and value, then attends over the last `window` positions of its slot up to its own. */
export function cacheAttention(
  first: i32,
  last: i32,
  qkv: usize,
  slots: usize,
  positions: usize,
  keys: usize,
  values: usize,
  output: usize,
  capacity: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  window: i32,
  scale: f64,
  scratch: usize,
  halves: i32,
): void {
  const query = ownPart(scratch, <usize>cacheAttentionScratch(capacity, headDim, halves) << 2);
  const scores = at(query, paddedTo8(headDim));
  const wideKeys = at(scores, paddedTo8(capacity));
  const wideValues = at(wideKeys, capacity * headDim);
  const kvWidth = kvHeads * headDim;
  const shiftOf: usize = halves ? 1 : 2;
  const stride = <usize>kvWidth << shiftOf;
  const group = heads / kvHeads;
  const factor = <f32>(scale * LOG2_E);
  for (let row = first; row < last; row++) {
    const position = load<i32>(at(positions, row));
    const firstKey = max(0, position + 1 - window);
    const count = position + 1 - firstKey;
    const start = firstKey % capacity;
    // The keys up to the end of the slot; the others go on at its beginning.
    const ahead = min(count, capacity - start);
    const slot = <usize>(load<i32>(at(slots, row)) * capacity) * stride;
    const from = at(qkv, row * (heads * headDim + 2 * kvWidth));
    const key = at(from, heads * headDim);
    const own = slot + <usize>(position % capacity) * stride;
    keep(key, kvWidth, keys + own, halves);
    keep(at(key, kvWidth), kvWidth, values + own, halves);
    for (let head = 0; head < heads; head++) {
      const shift = slot + (<usize>((head / group) * headDim) << shiftOf);
      let headKeys = keys + shift, headValues = values + shift, step = stride, begin = start, turn = ahead;
      if (halves) {
        if (head % group == 0) {
          const far = <usize>start * stride;
          widenRows(headKeys + far, stride, ahead, headDim, wideKeys);
          widenRows(headKeys, stride, count - ahead, headDim, at(wideKeys, ahead * headDim));
          widenRows(headValues + far, stride, ahead, headDim, wideValues);
          widenRows(headValues, stride, count - ahead, headDim, at(wideValues, ahead * headDim));
        }
        headKeys = wideKeys;
        headValues = wideValues;
        step = <usize>headDim << 2;
        begin = 0;
        turn = count;
      }
      packRows(at(from, head * headDim), 0, 1, 1, headDim, headDim, factor, query);
      const padded = paddedTo8(count);
      v128.store(at(scores, padded - 8), f32x4.splat(-Infinity));
      v128.store(at(scores, padded - 4), f32x4.splat(-Infinity));
      scoreKeys(query, headKeys + <usize>begin * step, step, turn, headDim, scores);
      scoreKeys(query, headKeys, step, count - turn, headDim, at(scores, turn));
      const sum = sumOfLanes(weigh(scores, padded, maxOfLanes(largest(scores, padded))));
      const target = at(output, (row * heads + head) * headDim);
      mixValues(scores, headValues, begin, turn, step, count, headDim, 1 / sum, target);
    }
  }
}

/** `count` rows of halves, `stride` bytes apart, as rows of floats that follow each other. */
function widenRows(from: usize, stride: usize, count: i32, headDim: i32, to: usize): void {
  for (let j = 0; j < count; j++) widenHalves(from + <usize>j * stride, headDim, at(to, j * headDim));
}

/** Leaves the products of a query with `count` keys in `scores`. */
function scoreKeys(query: usize, keys: usize, stride: usize, count: i32, headDim: i32, scores: usize): void {
  let j = 0;
  for (; j + 4 <= count; j += 4) {
    const keys1 = keys + stride, keys2 = keys1 + stride, keys3 = keys2 + stride;
    let sum0 = f32x4.splat(0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    let i = 0;
    for (; i + 4 <= headDim; i += 4) {
      const q = v128.load(at(query, i));
      sum0 = plusProduct(sum0, q, v128.load(at(keys, i)));
      sum1 = plusProduct(sum1, q, v128.load(at(keys1, i)));
      sum2 = plusProduct(sum2, q, v128.load(at(keys2, i)));
      sum3 = plusProduct(sum3, q, v128.load(at(keys3, i)));
    }
    if (i < headDim) {
      const q = v128.load64_zero(at(query, i));
      sum0 = plusProduct(sum0, q, v128.load64_zero(at(keys, i)));
      sum1 = plusProduct(sum1, q, v128.load64_zero(at(keys1, i)));
      sum2 = plusProduct(sum2, q, v128.load64_zero(at(keys2, i)));
      sum3 = plusProduct(sum3, q, v128.load64_zero(at(keys3, i)));
    }
    v128.store(at(scores, j), sumsOfRows(sum0, sum1, sum2, sum3));
    keys += 4 * stride;
  }
  for (; j < count; j++) {
    let sum = f32x4.splat(0);
    let i = 0;
    for (; i + 4 <= headDim; i += 4) sum = plusProduct(sum, v128.load(at(query, i)), v128.load(at(keys, i)));
    if (i < headDim) sum = plusProduct(sum, v128.load64_zero(at(query, i)), v128.load64_zero(at(keys, i)));
    store<f32>(at(scores, j), sumOfLanes(sum));
    keys += stride;
  }
}

/**
 * target = Σ_j weight_j · value_j · `share`, 16 elements at a time. The first `turn` values are those from the `begin`-th on, and the
 * others begin at `values`.
 */
function mixValues(
  weights: usize,
  values: usize,
  begin: i32,
  turn: i32,
  stride: usize,
  count: i32,
  headDim: i32,
  share: f32,
  target: usize,
): void {
  const shares = f32x4.splat(share);
  const far = values + <usize>begin * stride;
  const middle = at(weights, turn), end = at(weights, count);
  let i = 0;
  for (; i + 16 <= headDim; i += 16) {
    let sum0 = f32x4.splat(0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    let from = at(far, i), weight = weights;
    for (let stop = middle; weight < stop; stop = end) {
      for (; weight < stop; weight += 4) {
        const w = v128.load32_splat(weight);
        sum0 = plusProduct(sum0, w, v128.load(from));
        sum1 = plusProduct(sum1, w, v128.load(from, 16));
        sum2 = plusProduct(sum2, w, v128.load(from, 32));
        sum3 = plusProduct(sum3, w, v128.load(from, 48));
        from += stride;
      }
      from = at(values, i);
    }
    v128.store(at(target, i), f32x4.mul(sum0, shares));
    v128.store(at(target, i), f32x4.mul(sum1, shares), 16);
    v128.store(at(target, i), f32x4.mul(sum2, shares), 32);
    v128.store(at(target, i), f32x4.mul(sum3, shares), 48);
  }
  for (; i + 4 <= headDim; i += 4) {
    let sum = f32x4.splat(0);
    let from = at(far, i), weight = weights;
    for (let stop = middle; weight < stop; stop = end) {
      for (; weight < stop; weight += 4) {
        sum = plusProduct(sum, v128.load32_splat(weight), v128.load(from));
        from += stride;
      }
      from = at(values, i);
    }
    v128.store(at(target, i), f32x4.mul(sum, shares));
  }
  if (i < headDim) {
    let sum = f32x4.splat(0);
    let from = at(far, i), weight = weights;
    for (let stop = middle; weight < stop; stop = end) {
      for (; weight < stop; weight += 4) {
        sum = plusProduct(sum, v128.load32_splat(weight), v128.load64_zero(from));
        from += stride;
      }
      from = at(values, i);
    }
    v128.store64_lane(at(target, i), f32x4.mul(sum, shares), 0);
  }
}

/** Items are copies: the last of `lengths[i]` positions of row `sources[i]`, which is `length` long, to slot `slots[i]`. */
export function fillCache(
  first: i32,
  last: i32,
  qkv: usize,
  sources: usize,
  slots: usize,
  lengths: usize,
  keys: usize,
  values: usize,
  length: i32,
  capacity: i32,
  queryWidth: i32,
  kvWidth: i32,
  halves: i32,
): void {
  const columns = queryWidth + 2 * kvWidth;
  const bytes = <usize>kvWidth << (halves ? 1 : 2);
  for (let i = first; i < last; i++) {
    const slot = load<i32>(at(slots, i)) * capacity;
    const own = load<i32>(at(lengths, i));
    const firstKept = max(0, own - capacity);
    let from = at(qkv, (load<i32>(at(sources, i)) * length + firstKept) * columns + queryWidth);
    for (let position = firstKept; position < own; position++) {
      const to = <usize>(slot + (position % capacity)) * bytes;
      keep(from, kvWidth, keys + to, halves);
      keep(at(from, kvWidth), kvWidth, values + to, halves);
      from += <usize>columns << 2;
    }
  }
}

/** Items are copies: the first `count` words of slot `from[i]`, which are `slotLength` long, to slot `to[i]`. */
export function forkCache(
  first: i32,
  last: i32,
  keys: usize,
  values: usize,
  from: usize,
  to: usize,
  slotLength: i32,
  count: i32,
): void {
  const bytes = <usize>count << 2;
  for (let i = first; i < last; i++) {
    const source = (<usize>load<i32>(at(from, i)) * slotLength) << 2;
    const target = (<usize>load<i32>(at(to, i)) * slotLength) << 2;
    memory.copy(keys + target, keys + source, bytes);
    memory.copy(values + target, values + source, bytes);
  }
}
