/**
 * Gradient of causal attention; the formulas are in `kernels/selfAttention`. Items are pairs of a sequence and a key/value
 * head, so the gradients of a key and a value have one writer, which adds them up in the order of heads and queries.
 * Probabilities are recomputed for blocks of 32 queries and 128 keys, that both stay in the cache of the processor.
 */
import { paddedTo8, packAcross, packAlong, packRows, storeRow, unpackAlong } from './attentionPack';
import { powerOfTwo } from './math';
import { hideAfter, hideBefore, LN_2, LOG2_E } from './softmax';
import { at, ownPart, sumOfLanes } from './vector';
import { outerTiles, productTiles } from './tiles';

/** The queries and keys of a block, both multiples of 8; the number of keys is a multiple of that of queries. */
const QUERIES: i32 = 32;
const KEYS: i32 = 128;

/** Floats between rows of probabilities: a row more than the keys, or rows of powers of two would share lines of the cache. */
@inline
function probabilityWidth(length: i32): i32 {
  return min(KEYS, paddedTo8(length)) + 8;
}

/** Floats of scratch memory for each thread. */
export function selfAttentionGradientScratch(length: i32, headDim: i32): i32 {
  const padded = paddedTo8(headDim);
  return 5 * padded * paddedTo8(length) + 3 * QUERIES * padded + 2 * QUERIES * (probabilityWidth(length) + 1);
}

export function selfAttentionGradient(
  first: i32,
  last: i32,
  qkv: usize,
  mixed: usize,
  logSumExp: usize,
  dy: usize,
  dqkv: usize,
  length: i32,
  heads: i32,
  kvHeads: i32,
  headDim: i32,
  window: i32,
  scale: f64,
  scratch: usize,
): void {
  const padded = paddedTo8(headDim);
  const keys = paddedTo8(length);
  const group = heads / kvHeads;
  const columns = (heads + 2 * kvHeads) * headDim;
  const rowBytes = <usize>columns << 2;
  const outputBytes = <usize>(heads * headDim) << 2;

  const keysAcross = ownPart(scratch, <usize>selfAttentionGradientScratch(length, headDim) << 2);
  const keysAlong = at(keysAcross, padded * keys);
  const valuesAcross = at(keysAlong, padded * keys);
  const dkeys = at(valuesAcross, padded * keys);
  const dvalues = at(dkeys, padded * keys);
  const queries = at(dvalues, padded * keys);
  const dmixed = at(queries, QUERIES * padded);
  const dqueries = at(dmixed, QUERIES * padded);
  const probabilities = at(dqueries, QUERIES * padded);
  const dscores = at(probabilities, QUERIES * probabilityWidth(length));
  const peaks = at(dscores, QUERIES * probabilityWidth(length));
  const means = at(peaks, QUERIES);

  for (let item = first; item < last; item++) {
    const row0 = (item / kvHeads) * length;
    const kvHead = item % kvHeads;
    const keyColumn = (heads + kvHead) * headDim;
    const valueColumn = (heads + kvHeads + kvHead) * headDim;
    const rows = at(qkv, row0 * columns);
    const drows = at(dqkv, row0 * columns);
    packAcross(at(rows, keyColumn), rowBytes, length, headDim, padded, keysAcross);
    packAlong(at(rows, keyColumn), rowBytes, length, headDim, keys, keysAlong);
    packAcross(at(rows, valueColumn), rowBytes, length, headDim, padded, valuesAcross);
    memory.fill(dkeys, 0, <usize>(2 * padded * keys) << 2);
    for (let head = kvHead * group; head < (kvHead + 1) * group; head++) {
      for (let query0 = 0; query0 < length; query0 += QUERIES) {
        const real = min(QUERIES, length - query0);
        const count = (real + 3) & ~3;
        const row = row0 + query0;
        const output = (row * heads + head) * headDim;
        const factor = <f32>(scale * LOG2_E);
        packRows(at(qkv, row * columns + head * headDim), rowBytes, real, count, headDim, padded, factor, queries);
        packRows(at(dy, output), outputBytes, real, count, headDim, padded, 1, dmixed);
        summarise(dmixed, at(mixed, output), at(logSumExp, row * heads + head), real, count, heads, headDim, peaks, means);
        const firstKey = max(0, query0 + 1 - window) / KEYS * KEYS;
        for (let key0 = firstKey; key0 < query0 + count; key0 += KEYS) {
          const around = query0 - key0;
          probabilitiesOfBlock(
            queries, dmixed, at(keysAcross, key0 * padded), at(valuesAcross, key0 * padded),
            around, window, count, length, padded, peaks, means, probabilities, dscores,
          );
          addToQueries(dscores, at(keysAlong, key0 * 8), around, count, length, padded, dqueries, key0 > firstKey);
          addToKeys(probabilities, dmixed, around, count, length, padded, at(dvalues, key0 * 8));
          addToKeys(dscores, queries, around, count, length, padded, at(dkeys, key0 * 8));
        }
        const target = at(dqkv, row * columns + head * headDim);
        for (let i = 0; i < real; i++) {
          storeRow(at(dqueries, i * padded), f32x4.splat(<f32>scale), headDim, target + <usize>i * rowBytes);
        }
      }
    }
    // The queries behind the gradient of the keys were times log2 e, like the scores.
    unpackAlong(dkeys, LN_2, length, headDim, keys, at(drows, keyColumn), rowBytes);
    unpackAlong(dvalues, 1, length, headDim, keys, at(drows, valueColumn), rowBytes);
  }
}

/** Computes for each query the log-sum-exp in factors of two, and D = Σ do ⊙ o. Rows beyond the sequence get probabilities of 0. */
function summarise(
  dmixed: usize,
  mixed: usize,
  logSumExp: usize,
  rows: i32,
  paddedRows: i32,
  heads: i32,
  headDim: i32,
  peaks: usize,
  means: usize,
): void {
  const padded = paddedTo8(headDim);
  for (let row = 0; row < rows; row++) {
    let sum = f32x4.splat(0);
    let i = 0;
    for (; i + 4 <= headDim; i += 4) {
      sum = f32x4.add(sum, f32x4.mul(v128.load(at(dmixed, i)), v128.load(at(mixed, i))));
    }
    let mean = sumOfLanes(sum);
    for (; i < headDim; i++) mean += load<f32>(at(dmixed, i)) * load<f32>(at(mixed, i));
    store<f32>(at(means, row), mean);
    store<f32>(at(peaks, row), <f32>(<f64>load<f32>(at(logSumExp, row * heads)) * LOG2_E));
    dmixed = at(dmixed, padded);
    mixed = at(mixed, heads * headDim);
  }
  for (let row = rows; row < paddedRows; row++) {
    store<f32>(at(means, row), 0);
    store<f32>(at(peaks, row), Infinity);
  }
}

/** Keys of a block that the tile of queries `row` … `row` + 3, counted from the block's first key, may see. */
@inline
function keysBefore(row: i32): i32 {
  return min(KEYS, row + 4);
}

/** P = 2^(S − peak) and dS = P ⊙ (do·vᵀ − D). `around` is the first query's place among the block's keys. */
function probabilitiesOfBlock(
  queries: usize,
  dmixed: usize,
  keyPanels: usize,
  valuePanels: usize,
  around: i32,
  window: i32,
  count: i32,
  length: i32,
  padded: i32,
  peaks: usize,
  means: usize,
  probabilities: usize,
  dscores: usize,
): void {
  const rowBytes = <usize>padded << 2;
  const width = probabilityWidth(length);
  const widthBytes = <usize>width << 2;
  for (let tile = 0; tile < count; tile += 4) {
    const seen = paddedTo8(keysBefore(around + tile));
    const p = at(probabilities, tile * width);
    const ds = at(dscores, tile * width);
    const q = at(queries, tile * padded), dout = at(dmixed, tile * padded);
    productTiles(q, rowBytes, keyPanels, <usize>padded << 5, padded, p, widthBytes, seen >> 3, 0);
    productTiles(dout, rowBytes, valuePanels, <usize>padded << 5, padded, ds, widthBytes, seen >> 3, 0);
    for (let i = 0; i < 4; i++) {
      const row = at(p, i * width);
      const last = around + tile + i;
      if (last < seen) hideAfter(row, last, seen);
      hideBefore(row, min(seen, last + 1 - window));
      probabilitiesOfRow(row, at(ds, i * width), seen, load<f32>(at(peaks, tile + i)), load<f32>(at(means, tile + i)));
    }
  }
}

@inline
function probabilitiesOfRow(p: usize, ds: usize, count: i32, peak: f32, mean: f32): void {
  const peaks = f32x4.splat(peak);
  const means = f32x4.splat(mean);
  for (const end = at(p, count); p < end; p += 32) {
    const even = powerOfTwo(f32x4.sub(v128.load(p), peaks));
    const odd = powerOfTwo(f32x4.sub(v128.load(p, 16), peaks));
    v128.store(p, even);
    v128.store(p, odd, 16);
    v128.store(ds, f32x4.mul(even, f32x4.sub(v128.load(ds), means)));
    v128.store(ds, f32x4.mul(odd, f32x4.sub(v128.load(ds, 16), means)), 16);
    ds += 32;
  }
}

/** dq = dS·k, or dq += dS·k with `more`. */
function addToQueries(
  dscores: usize,
  keyPanels: usize,
  around: i32,
  count: i32,
  length: i32,
  padded: i32,
  dqueries: usize,
  more: i32,
): void {
  const width = probabilityWidth(length);
  const keys = paddedTo8(length);
  for (let tile = 0; tile < count; tile += 4) {
    productTiles(
      at(dscores, tile * width), <usize>width << 2, keyPanels, <usize>keys << 5, keysBefore(around + tile),
      at(dqueries, tile * padded), <usize>padded << 2, padded >> 3, more,
    );
  }
}

/** target += weightsᵀ · rows: dv from P and do, dk from dS and q. */
function addToKeys(
  weights: usize,
  rows: usize,
  around: i32,
  count: i32,
  length: i32,
  padded: i32,
  target: usize,
): void {
  const width = probabilityWidth(length);
  const keys = paddedTo8(length);
  const last = min(KEYS, around + count);
  for (let key = 0; key < last; key += 4) {
    // Queries before the key do not see it.
    const row = max(0, key - around);
    const from = at(weights, row * width + key);
    outerTiles(
      from, <usize>width << 2, at(rows, row * padded), <usize>padded << 2, count - row,
      at(target, key * 8), <usize>keys << 5, padded >> 3,
    );
  }
}
