/** The randomness of `engine/rollout/sampler.ts` in WGSL: the same bits, and numbers made of them to about 1e-6. */

/** The functions `mix32` and `absorb`. */
export const HASH_CODE = /* wgsl */ `
fn mix32(value: u32) -> u32 {
  var h = value;
  h = (h ^ (h >> 16u)) * 0x7feb352du;
  h = (h ^ (h >> 15u)) * 0x846ca68bu;
  return h ^ (h >> 16u);
}
fn absorb(hash: u32, word: u32) -> u32 {
  return mix32((hash ^ mix32(word + 0x85ebca6bu)) + 0x9e3779b9u);
}
`;

/** The function `exponential(bits)`: -ln(1 - t) with t = (bits + ½) · 2⁻³². */
export const EXPONENTIAL_CODE = /* wgsl */ `
// Near 1 the logarithm of a GPU is only good to 2^-21, so a small t takes the series.
fn exponential(bits: u32) -> f32 {
  let t = (f32(bits) + 0.5) * 2.3283064365386963e-10;
  let rest = (f32(~bits) + 0.5) * 2.3283064365386963e-10;
  let series = t * (1.0 + t * (0.5 + t * (0.33333333 + t * (0.25 + t * (0.2 + t * 0.16666667)))));
  return select(-log(rest), series, t < 0.0625);
}
`;
