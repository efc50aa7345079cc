/** Single numbers in f16, as blocks keep their scales. */

const single = new Float32Array(1);
const word = new Uint32Array(single.buffer);

/** Adding this to a float64 of magnitude below 2^51 and subtracting it again leaves the nearest whole number, ties to even. */
export const ROUNDING = 1.5 * 2 ** 52;

/** The exponent of the distance between the neighbours of a number in f16. */
function unitExponent(value: number): number {
  single[0] = value;
  return Math.max((((word[0] as number) >>> 23) & 255) - 127, -14) - 10;
}

/** The nearest number of those that f16 has, and of those that it would have beyond its largest, 65504. */
export function nearestHalf(value: number): number {
  const unit = 2 ** unitExponent(value);
  return (value / unit + ROUNDING - ROUNDING) * unit;
}

/** The bits of a number that f16 has. @throws RangeError for one beyond its largest. */
export function halfBits(half: number): number {
  const exponent = unitExponent(half);
  const whole = Math.abs(half) / 2 ** exponent;
  if (Math.abs(half) > 65504)
    throw new RangeError(
      `A block needs the scale or offset ${half}, and f16 ends at 65504. Store these weights as F32 or BF16.`,
    );
  const sign = half < 0 ? 0x8000 : 0;
  return whole < 1024 ? sign | whole : sign | ((exponent + 25) << 10) | (whole - 1024);
}
