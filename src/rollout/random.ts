/** Counted randomness of the sampler: a draw is a hash of its coordinates, so no order of work can change it. */

/** A bijective mix of 32 bits with full avalanche (the `lowbias32` constants of C. Wellons). */
function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Uniform in [0, 1), a multiple of 2⁻³², decided by (seed, step, problem, sample, position) alone. */
export function uniformAt(
  seed: number,
  step: number,
  problem: number,
  sample: number,
  position: number,
): number {
  let h = 0x9e3779b9;
  for (const word of [seed, step, problem, sample, position])
    h = mix32((h ^ mix32(word + 0x85ebca6b)) + 0x9e3779b9);
  return h / 2 ** 32;
}
