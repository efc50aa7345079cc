/**
 * Numbers in 8 and 4 bits. `q8` is absmax quantization in groups of 32: x ≈ n · s, where s is the largest magnitude of the group over
 * 127. `q4` is NF4 (Dettmers et al. 2023, as bitsandbytes computes it) in groups of 64: x ≈ level · s, where s is the largest magnitude
 * and the level is the one nearest to x / s.
 */
import { elementsIn, GROUP_SIZES, scaleCount, wordBytes } from './layout.ts';

export type QuantizedFormat = keyof typeof GROUP_SIZES;

/** Quantiles of the normal distribution, asymmetric so that 0 is exact: appendix E of the paper, rounded to f32. */
export const NF4_LEVELS = [
  -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
  -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
] as const;

/** The middles between a level and the next: a number above is nearer to the next. */
const NF4_MIDDLES = Float64Array.from(
  NF4_LEVELS,
  (level, i) => (level + (NF4_LEVELS[i + 1] ?? Infinity)) / 2,
);

export interface QuantizedRows {
  readonly words: Uint8Array<ArrayBuffer>;
  readonly scales: Float32Array<ArrayBuffer>;
}

/** Quantizes whole rows that begin where a group does, for `writeFrozenRows`. @throws Error if a number is not finite. */
export function quantizeRows(format: QuantizedFormat, values: Float32Array): QuantizedRows {
  const size = GROUP_SIZES[format];
  const words = new Uint8Array(wordBytes(format, values.length));
  const scales = new Float32Array(scaleCount(format, values.length));
  for (const group of scales.keys()) {
    const first = group * size;
    const last = Math.min(first + size, values.length);
    const most = largestMagnitude(values, first, last);
    scales[group] = format === 'q8' ? most / 127 : most;
    const scale = scales[group] ?? 0;
    if (format === 'q8') quantizeBytes(values, first, last, scale, words);
    else quantizeLevels(values, first, last, scale, words);
  }
  return { words, scales };
}

function largestMagnitude(values: Float32Array, first: number, last: number): number {
  let most = 0;
  // Stays 0 where all are finite.
  let rest = 0;
  for (let i = first; i < last; i++) {
    const value = values[i] as number;
    rest += value - value;
    most = Math.max(most, Math.abs(value));
  }
  if (rest === 0) return most;
  const at = first + values.subarray(first, last).findIndex((value) => !Number.isFinite(value));
  throw new Error(`Element ${at} is ${values[at]}: only finite numbers can be quantized.`);
}

/** Adding this to a float64 of magnitude below 2^51 and subtracting it again leaves the nearest whole number. */
const ROUNDING = 1.5 * 2 ** 52;

function quantizeBytes(
  values: Float32Array,
  first: number,
  last: number,
  scale: number,
  words: Uint8Array,
): void {
  if (scale === 0) return;
  for (let i = first; i < last; i++) {
    const steps = (values[i] as number) / scale + ROUNDING - ROUNDING;
    // The scale was rounded: a tiny one can leave more than 127 steps.
    words[i] = Math.max(-127, Math.min(127, steps));
  }
}

function quantizeLevels(
  values: Float32Array,
  first: number,
  last: number,
  scale: number,
  words: Uint8Array,
): void {
  const divisor = scale > 0 ? scale : 1;
  for (let i = first; i < last; i += 2) {
    const low = nearestLevel((values[i] as number) / divisor);
    const high = i + 1 < last ? nearestLevel((values[i + 1] as number) / divisor) : 0;
    words[i >> 1] = low | (high << 4);
  }
}

/** The number of parts of −1 … 1, so small that none holds two middles. */
const PARTS = 256;
const partOf = (x: number): number => Math.floor((x + 1) * (PARTS / 2));
/** The lowest level that a number of each part may be nearest to; 1 has a part of its own. */
const LOWEST_LEVELS = Uint8Array.from({ length: PARTS + 1 }, (_, part) => {
  return NF4_MIDDLES.filter((middle) => partOf(middle) < part).length;
});

/** The index of the level nearest to a number from −1 to 1. */
function nearestLevel(x: number): number {
  const level = LOWEST_LEVELS[partOf(x)] as number;
  return x > (NF4_MIDDLES[level] as number) ? level + 1 : level;
}

/** The `length` f32 numbers that every kernel computes with. */
export function dequantizeRows(
  format: QuantizedFormat,
  { words, scales }: { readonly words: Uint8Array; readonly scales: Float32Array },
  length = elementsIn(format, words.length),
): Float32Array<ArrayBuffer> {
  const size = GROUP_SIZES[format];
  const values = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    const scale = scales[Math.floor(i / size)] ?? 0;
    values[i] = scale * (format === 'q8' ? signedByte(words, i) : level(words, i));
  }
  return values;
}

const signedByte = (words: Uint8Array, i: number): number => ((words[i] ?? 0) << 24) >> 24;

function level(words: Uint8Array, i: number): number {
  const pair = words[i >> 1] ?? 0;
  return NF4_LEVELS[i % 2 === 0 ? pair & 15 : pair >> 4] ?? 0;
}
