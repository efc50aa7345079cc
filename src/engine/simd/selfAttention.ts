/**
 * Causal attention, forward; the formulas are in `kernels/selfAttention`. Items are pairs of a sequence and a key/value head.
 * Four queries at a time go over the keys that they see, so scores of no more than four rows exist at once. A query's result
 * does not depend on the length of its sequence.
 */
import { paddedTo8, packAcross, packAlong, packRows, storeRow } from './attentionPack';
import { log4 } from './math';
import { hideAfter, hideBefore, largest, largestOfRows, LN_2, LOG2_E, sumsOfRows, weigh } from './softmax';
import { at, ownPart } from './vector';
import { productTiles } from './tiles';

/** Floats between rows of scores: a row more than the keys, or rows of powers of two would share lines of the cache. */
@inline
function scoreWidth(length: i32): i32 {
  return paddedTo8(length) + 8;
}

/** Floats of scratch memory for each thread. */
export function selfAttentionScratch(length: i32, headDim: i32): i32 {
  return paddedTo8(headDim) * (2 * paddedTo8(length) + 4) + 4 * scoreWidth(length);
}

export function selfAttention(
  first: i32,
  last: i32,
  qkv: usize,
  mixed: usize,
  logSumExp: usize,
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
  const rowBytes = <usize>((heads + 2 * kvHeads) * headDim) << 2;
  const keyPanels = ownPart(scratch, <usize>selfAttentionScratch(length, headDim) << 2);
  const valuePanels = at(keyPanels, padded * keys);
  const query = at(valuePanels, padded * keys);
  const scores = at(query, 4 * padded);
  for (let item = first; item < last; item++) {
    const sequence = item / kvHeads;
    const kvHead = item % kvHeads;
    const rows = qkv + <usize>(sequence * length) * rowBytes;
    packAcross(at(rows, (heads + kvHead) * headDim), rowBytes, length, headDim, padded, keyPanels);
    packAlong(at(rows, (heads + kvHeads + kvHead) * headDim), rowBytes, length, headDim, keys, valuePanels);
    for (let head = kvHead * group; head < (kvHead + 1) * group; head++) {
      const output = at(mixed, (sequence * length * heads + head) * headDim);
      const logs = at(logSumExp, sequence * length * heads + head);
      for (let t = 0; t < length; t += 4) {
        attendFour(
          at(rows, head * headDim) + <usize>t * rowBytes,
          rowBytes,
          t,
          length,
          headDim,
          window,
          <f32>(scale * LOG2_E),
          keyPanels,
          valuePanels,
          query,
          scores,
          at(output, t * heads * headDim),
          at(logs, t * heads),
          heads,
        );
      }
    }
  }
}

/**
 * Queries t … t + 3, or up to the end of the sequence, over the keys from the panel on in which the window of the first of them begins.
 * `query` [4][padded] and `scores` [4][keys] are scratch.
 */
function attendFour(
  from: usize,
  rowBytes: usize,
  t: i32,
  length: i32,
  headDim: i32,
  window: i32,
  factor: f32,
  keyPanels: usize,
  valuePanels: usize,
  query: usize,
  scores: usize,
  output: usize,
  logs: usize,
  heads: i32,
): void {
  const padded = paddedTo8(headDim);
  const queryBytes = <usize>padded << 2;
  const scoreBytes = <usize>scoreWidth(length) << 2;
  const rows = min(4, length - t);
  const windowStart = t + 1 - window;
  const first = max(0, windowStart) & ~7;
  const own = t - first;
  const count = paddedTo8(own + 4);
  packRows(from, rowBytes, rows, 4, headDim, padded, factor, query);
  const seenKeys = at(keyPanels, first * padded), seenValues = at(valuePanels, first * 8);
  productTiles(query, queryBytes, seenKeys, <usize>padded << 5, padded, scores, scoreBytes, count >> 3, 0);
  const scores1 = scores + scoreBytes, scores2 = scores1 + scoreBytes, scores3 = scores2 + scoreBytes;
  hideAfter(scores, own, count);
  hideAfter(scores1, own + 1, count);
  hideAfter(scores2, own + 2, count);
  hideAfter(scores3, own + 3, count);
  const hidden = windowStart - first;
  hideBefore(scores, hidden);
  hideBefore(scores1, hidden + 1);
  hideBefore(scores2, hidden + 2);
  hideBefore(scores3, hidden + 3);
  const peaks = largestOfRows(
    largest(scores, count),
    largest(scores1, count),
    largest(scores2, count),
    largest(scores3, count),
  );
  const totals = sumsOfRows(
    weigh(scores, count, f32x4.extract_lane(peaks, 0)),
    weigh(scores1, count, f32x4.extract_lane(peaks, 1)),
    weigh(scores2, count, f32x4.extract_lane(peaks, 2)),
    weigh(scores3, count, f32x4.extract_lane(peaks, 3)),
  );
  // The query is no longer needed: its place takes the sums of values.
  productTiles(scores, scoreBytes, seenValues, <usize>paddedTo8(length) << 5, own + 4, query, queryBytes, padded >> 3, 0);
  const outputBytes = <usize>(heads * headDim) << 2;
  // Nor are the scores: theirs takes the four shares and logarithms.
  const shares = scores, logarithms = scores + 16;
  v128.store(shares, f32x4.div(f32x4.splat(1), totals));
  v128.store(logarithms, f32x4.add(f32x4.mul(peaks, f32x4.splat(LN_2)), log4(totals)));
  for (let i = 0; i < rows; i++) {
    storeRow(at(query, i * padded), v128.load32_splat(at(shares, i)), headDim, output + <usize>i * outputBytes);
    store<f32>(at(logs, i * heads), load<f32>(at(logarithms, i)));
  }
}
