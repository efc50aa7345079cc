/**
 * Counted randomness of the sampler: the noise of a token at a place is a hash of its coordinates, so no order of work can
 * change a draw. `kernels/decode/gumbel.ts` is the same in WGSL.
 */

/** A bijective mix of 32 bits with full avalanche (the `lowbias32` constants of C. Wellons). */
function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A hash that takes in one more coordinate. */
function absorb(hash: number, word: number): number {
  return mix32((hash ^ mix32(word + 0x85ebca6b)) + 0x9e3779b9);
}

/** The hash of a completion: its positions and their tokens are absorbed after it. */
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
 * Standard Gumbel noise of 32 random bits: −ln E with E = −ln(1 − t) exponential and t = (bits + ½)·2⁻³². Likely winners have
 * a small t, and t is finest near zero, so ties are rare in vocabularies of any size. Falls as `bits` rises.
 */
export function gumbelOf(bits: number): number {
  const t = (bits + 0.5) / 2 ** 32;
  return -Math.log(-Math.log1p(-t));
}

/** Uniform in [0, 1), a multiple of 2⁻³², decided by the five coordinates. */
export function uniformAt(
  seed: number,
  step: number,
  problem: number,
  sample: number,
  position: number,
): number {
  return positionKey(rowKey(seed, step, problem, sample), position) / 2 ** 32;
}
