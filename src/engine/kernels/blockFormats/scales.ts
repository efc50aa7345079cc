/** Scales of blocks in f16. */
import { halfBits } from '../shared/halfFloats.ts';

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

/** The bits of a scale that `nearestHalf` made. @throws RangeError for one beyond the largest of f16. */
export function scaleBits(scale: number): number {
  if (Math.abs(scale) > 65504)
    throw new RangeError(
      `A block needs the scale or offset ${scale}, and f16 ends at 65504. Store these weights as F32 or BF16.`,
    );
  return halfBits(scale);
}
