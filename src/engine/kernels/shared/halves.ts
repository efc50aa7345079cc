/** WGSL of IEEE 754 binary16 in words of 32 bits, two to a word, the first in the lower half. It does without the feature `shader-f16`. */

/**
 * The functions of halves. `halfBits` gives the nearest half, ties to even, and infinity beyond 65504 (rounded), the same bits as the
 * host's conversion; WGSL's own `pack2x16float` may round either way. `toHalf` widens the result again; `packHalves` and `unpackHalves`
 * take four at a time.
 */
export const HALF_CODE = /* wgsl */ `
fn halfBits(value: f32) -> u32 {
  let word = bitcast<u32>(value);
  let sign = (word >> 16u) & 0x8000u;
  let magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return sign | 0x7e00u; }
  if (magnitude >= 0x477ff000u) { return sign | 0x7c00u; }
  if (magnitude >= 0x38800000u) {
    return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13u) & 1u)) >> 13u);
  }
  let shift = 126u - (magnitude >> 23u);
  if (shift > 25u) { return sign; }
  let digits = (magnitude & 0x7fffffu) | 0x800000u;
  return sign | ((digits + (1u << (shift - 1u)) - 1u + ((digits >> shift) & 1u)) >> shift);
}
fn toHalf(value: f32) -> f32 { return unpack2x16float(halfBits(value)).x; }
fn packHalves(value: vec4f) -> vec2u {
  return vec2u(
    halfBits(value.x) | (halfBits(value.y) << 16u),
    halfBits(value.z) | (halfBits(value.w) << 16u),
  );
}
fn unpackHalves(words: vec2u) -> vec4f { return vec4f(unpack2x16float(words.x), unpack2x16float(words.y)); }
`;
