/** Conversions between f32 and the two 16-bit formats, whose bit patterns are held in a Uint16Array. */

/** Widens bfloat16, which is the upper half of an f32. The result is exact. */
export function fromBfloat16(halves: Uint16Array): Float32Array<ArrayBuffer> {
  const bits = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) bits[i] = (halves[i] ?? 0) << 16;
  return new Float32Array(bits.buffer);
}

/** Rounds to nearest, ties to even; NaN stays NaN. */
export function toBfloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i] ?? 0;
    const notANumber = (word & 0x7fffffff) > 0x7f800000;
    halves[i] = notANumber ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return halves;
}

/** IEEE 754 binary16 to f32; exact. */
export function fromFloat16(halves: Uint16Array): Float32Array<ArrayBuffer> {
  const values = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) values[i] = halfOf(halves[i] ?? 0);
  return values;
}

/** The number of one pattern of binary16. */
export function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Converts f32 to IEEE 754 binary16, to nearest, ties to even. A value beyond 65504 (rounded) becomes infinity. */
export function toFloat16(values: Float32Array): Uint16Array<ArrayBuffer> {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i++) halves[i] = roundedBits(words[i] as number, values[i] as number);
  return halves;
}

const single = new Float32Array(1);
const singleWord = new Uint32Array(single.buffer);

/** The pattern of binary16 for one number, which is first rounded to f32. */
export function halfBits(value: number): number {
  single[0] = value;
  return roundedBits(singleWord[0] as number, single[0]);
}

const rounding = new Float32Array(1);
const roundingWord = new Uint32Array(rounding.buffer);

/** Converts a value by its own bits, because a model has many millions of values. */
function roundedBits(word: number, value: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520, half way between the largest half and what would be the next.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Normal: rebias the exponent by 112 and drop 13 bits; a carry of the rounding runs into the exponent as it should.
  if (magnitude >= 0x38800000)
    return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
  // Subnormal: adding ½ makes f32 itself round to the unit 2⁻²⁴.
  rounding[0] = Math.abs(value) + 0.5;
  return sign | ((roundingWord[0] as number) - 0x3f000000);
}
