/**
 * Draws one token from a row of logits, on the host in float64: the largest of logit / T + Gumbel noise among the candidates, which is a
 * draw from the softmax (Gumbel-max, Maddison et al. 2014). The noise of a token at a place is a hash of its coordinates, so no order of
 * work can change a draw. `engine/kernels/decode/sample.ts` is the same on the GPU in float32.
 */
import type { RowMass } from '../../kernels/rowMasses/rowMasses.ts';
import { exp, log, log1p } from './elementary.ts';
import type { SamplingSettings } from './types.ts';

export interface Draw {
  readonly token: number;
  /**
   * The log-probability under the temperature-scaled distribution of the model's logits, whatever filters and penalties do to the draw (T
   * = 1 when greedy).
   */
  readonly logprob: number;
}

/** The temperature of a row's softmax; 1 where draws are greedy. */
export const softmaxTemperature = ({ temperature }: SamplingSettings): number =>
  temperature === 0 ? 1 : temperature;

/** The error of a model whose numbers overflowed, on the host as on the GPU. */
export function notFiniteError(): Error {
  return new Error("The model's logits are not finite numbers; its weights may hold NaN or Infinity.");
}

/**
 * Draws a token. Top-k and then top-p (the smallest set of most probable tokens with mass ≥ topP of what top-k left, at least one)
 * restrict the candidates. Then min-p (Nguyen et al. 2024) removes those that are less than minP times as probable as the likeliest.
 * Equal probabilities rank by id. Temperature 0 takes the first largest logit. `key` is a `positionKey`. If `drawable` is given,
 * candidates are the ids below it; the rest are no tokens. `drawnBy` are other logits for candidates and draw, such as those with a
 * repetition penalty. `mass` is what `massOf` would find in `logits`, if it is known.
 *
 * @throws Error if the logits are not finite.
 */
export function drawToken(
  logits: Float32Array,
  settings: SamplingSettings,
  key: number,
  drawable = logits.length,
  drawnBy = logits,
  mass: RowMass | null = null,
): Draw {
  const greedy = settings.temperature === 0;
  const temperature = softmaxTemperature(settings);
  const ofModel = mass ?? massOf(logits, drawable, temperature);
  if (!Number.isFinite(ofModel.total)) throw notFiniteError();
  const tokens = drawnBy.subarray(0, drawable);
  const { best, max, among } = drawnBy === logits ? ofModel : massOf(drawnBy, drawable, temperature);
  const filtered = greedy ? null : candidatesOf(tokens, temperature, max, among, settings);
  const { minP = 0 } = settings;
  const candidates = greedy || minP === 0 ? filtered : likelyOf(tokens, temperature, best, filtered, minP);
  const token = greedy ? best : noisiest(tokens, temperature, best, candidates, key);
  return { token, logprob: (logits[token] as number) / temperature - ofModel.max - log(ofModel.total) };
}

/** The mass of a row whose ids below `drawable` may be drawn. `engine/simd/rowMasses.ts` finds the same to the bit, on all threads. */
export function massOf(logits: Float32Array, drawable: number, temperature: number): RowMass {
  const tokens = logits.subarray(0, drawable);
  const best = largestOf(tokens);
  const max = largestAfter(logits, drawable, tokens[best] as number) / temperature;
  const among = sumOfExponentials(tokens, temperature, max);
  return { best, max, among, total: among + sumOfExponentials(logits.subarray(drawable), temperature, max) };
}

/** The index of the first of the largest values. */
function largestOf(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] as number) > (values[best] as number)) best = i;
  return best;
}

/** The largest of `value` and those from `first` on. */
function largestAfter(values: Float32Array, first: number, value: number): number {
  let largest = value;
  for (let i = first; i < values.length; i++)
    if ((values[i] as number) > largest) largest = values[i] as number;
  return largest;
}

function sumOfExponentials(logits: Float32Array, temperature: number, max: number): number {
  let total = 0;
  for (const logit of logits) total += exp(logit / temperature - max);
  return total;
}

/** Upper bounds of the noise by the highest 8 bits of its argument, with which most tokens are skipped without a logarithm. */
export const NOISE_BOUND = Float64Array.from({ length: 256 }, (_, high) => gumbelOf(high * 2 ** 24));

/** The most noise that there is, of an argument of 0. Tokens below the best by more are skipped without a hash. */
const MOST_NOISE = gumbelOf(0);

/** The candidate with the largest logit / T + noise, the first of equals; null means every token. */
function noisiest(
  logits: Float32Array,
  temperature: number,
  likeliest: number,
  candidates: Int32Array | null,
  key: number,
): number {
  let best = likeliest;
  let highest = (logits[best] as number) / temperature + gumbelOf(tokenBits(key, best));
  const count = candidates ? candidates.length : logits.length;
  for (let i = 0; i < count; i++) {
    const token = candidates ? (candidates[i] as number) : i;
    const scaled = (logits[token] as number) / temperature;
    if (scaled + MOST_NOISE < highest) continue;
    const bits = tokenBits(key, token);
    if (scaled + (NOISE_BOUND[bits >>> 24] as number) < highest) continue;
    const score = scaled + gumbelOf(bits);
    if (score > highest || (score === highest && token < best)) {
      highest = score;
      best = token;
    }
  }
  return best;
}

/** The candidates that top-k and top-p leave, in any order; null if they leave all. The likeliest token is always among them. */
function candidatesOf(
  logits: Float32Array,
  temperature: number,
  max: number,
  total: number,
  { topK, topP }: SamplingSettings,
): Int32Array | null {
  const limit = topK > 0 ? Math.min(topK, logits.length) : logits.length;
  if (limit === logits.length && topP >= 1) return null;
  const kept = limit < logits.length ? largest(logits, limit) : Int32Array.from(logits.keys());
  if (topP >= 1) return kept;
  const weightOf = (token: number): number => exp((logits[token] as number) / temperature - max);
  const mass = limit < logits.length ? kept.reduce((sum, token) => sum + weightOf(token), 0) : total;
  // The tokens below this weight together weigh less than what may be left out: they need no ranking.
  const negligible = ((1 - topP) * mass * (1 - 1e-9)) / kept.length;
  const ranked = kept
    .filter((token) => weightOf(token) >= negligible)
    .sort((a, b) => (logits[b] as number) - (logits[a] as number) || a - b);
  let reached = 0;
  let count = 0;
  while (count < ranked.length && (count === 0 || reached < topP * mass))
    reached += weightOf(ranked[count++] as number);
  return ranked.subarray(0, count);
}

/** Those `candidates` (null: all) that are at least `minP` times as probable as the likeliest. */
function likelyOf(
  logits: Float32Array,
  temperature: number,
  likeliest: number,
  candidates: Int32Array | null,
  minP: number,
): Int32Array {
  const least = (logits[likeliest] as number) + temperature * log(minP);
  return (candidates ?? Int32Array.from(logits.keys())).filter((token) => (logits[token] as number) >= least);
}

/** The ids of the `count` largest values, the first of equals, in ascending order. */
function largest(values: Float32Array, count: number): Int32Array {
  const threshold = nthLargest(values, count);
  let ties = count;
  for (const value of values) if (value > threshold) ties--;
  const ids = new Int32Array(count);
  let found = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value > threshold || (value === threshold && ties-- > 0)) ids[found++] = i;
  }
  return ids;
}

/** The `n`-th largest of the values (Hoare's selection). */
function nthLargest(values: Float32Array, n: number): number {
  const rest = Float32Array.from(values);
  const target = n - 1;
  let low = 0;
  let high = rest.length - 1;
  while (low < high) {
    const pivot = rest[(low + high) >> 1] as number;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((rest[i] as number) > pivot) i++;
      while ((rest[j] as number) < pivot) j--;
      if (i > j) break;
      const held = rest[i] as number;
      rest[i++] = rest[j] as number;
      rest[j--] = held;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return rest[target] as number;
}

/** A bijective mix of 32 bits with full avalanche (the `lowbias32` constants of C. Wellons). */
function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Adds one more coordinate to a hash. */
function absorb(hash: number, word: number): number {
  return mix32((hash ^ mix32(word + 0x85ebca6b)) + 0x9e3779b9);
}

/** The hash of a completion, to which its positions and their tokens are added. */
export function rowKey(seed: number, step: number, problem: number, sample: number): number {
  return [seed, step, problem, sample].reduce(absorb, 0x9e3779b9);
}

/** The hash of the `position`-th token (from 0) of a completion. */
export function positionKey(row: number, position: number): number {
  return absorb(row, position);
}

/** 32 random bits for token id `token` at the place of `key`. */
export function tokenBits(key: number, token: number): number {
  return absorb(key, token);
}

/**
 * Standard Gumbel noise of 32 random bits: −ln E with E = −ln(1 − t) exponential and t = (bits + ½)·2⁻³². Likely winners have a small t,
 * and t is finest near zero, so ties are rare in vocabularies of any size. The noise falls as `bits` rises.
 */
export function gumbelOf(bits: number): number {
  const t = (bits + 0.5) / 2 ** 32;
  return -log(-log1p(-t));
}

/** A uniform number in [0, 1), a multiple of 2⁻³², which the five coordinates decide. */
export function uniformAt(
  seed: number,
  step: number,
  problem: number,
  sample: number,
  position: number,
): number {
  return positionKey(rowKey(seed, step, problem, sample), position) / 2 ** 32;
}
