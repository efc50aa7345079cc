/** Conversions between f32 and the two 16-bit formats, bit patterns held in Uint16Array. */

/** bfloat16 is the upper half of an f32: widening is exact. */
export function fromBfloat16(halves: Uint16Array): Float32Array {
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
export function fromFloat16(halves: Uint16Array): Float32Array {
  const values = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) values[i] = half(halves[i] ?? 0);
  return values;
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** f32 to IEEE 754 binary16, to nearest, ties to even; beyond 65504 (rounded) becomes infinity. */
export function toFloat16(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = halfBits(values[i] ?? 0);
  return halves;
}

function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (Number.isNaN(value)) return 0x7e00;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  // Below 2^-14 values are subnormal: the spacing stays 2^-24.
  const exponent = magnitude < 2 ** -14 ? -14 : Math.floor(Math.log2(magnitude));
  const scaled = roundTiesToEven(magnitude * 2 ** (10 - exponent));
  // Normal numbers have 1024 ≤ scaled ≤ 2048: adding carries the leading bit, and a round-up, into the exponent.
  return sign | (((exponent + 14) << 10) + scaled);
}

function roundTiesToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
