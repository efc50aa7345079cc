/**
 * Numbers in 8 and 4 bits. `q8` is absmax quantization in groups of 32: x ≈ n · s, s the largest magnitude of the group over 127.
 * `q4` is NF4 (Dettmers et al. 2023, as bitsandbytes computes it) in groups of 64: x ≈ level · s, s the largest magnitude, the
 * level nearest to x / s.
 */
import { elementsIn, GROUP_SIZES, scaleCount, wordBytes } from './layout.ts';

export type QuantizedFormat = keyof typeof GROUP_SIZES;

/** Quantiles of the normal distribution, asymmetric so that 0 is exact: appendix E of the paper, rounded to f32. */
export const NF4_LEVELS = [
  -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
  -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
] as const;

/** Between two levels: what is above is nearer to the upper one. */
const NF4_MIDDLES = Float64Array.from(NF4_LEVELS.slice(1), (level, i) => (level + (NF4_LEVELS[i] ?? 0)) / 2);

export interface QuantizedRows {
  readonly words: Uint8Array<ArrayBuffer>;
  readonly scales: Float32Array<ArrayBuffer>;
}

/** Whole rows that begin where a group does, as `writeFrozenRows` takes them. Throws where a number is not finite. */
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
  for (let i = first; i < last; i++) {
    const magnitude = Math.abs(values[i] ?? 0);
    if (!(magnitude < Infinity))
      throw new Error(`Element ${i} is ${values[i]}: only finite numbers can be quantized.`);
    if (magnitude > most) most = magnitude;
  }
  return most;
}

function quantizeBytes(
  values: Float32Array,
  first: number,
  last: number,
  scale: number,
  words: Uint8Array,
): void {
  for (let i = first; i < last; i++) {
    const steps = scale > 0 ? Math.round((values[i] ?? 0) / scale) : 0;
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
  for (let i = first; i < last; i++) {
    const level = nearestLevel(scale > 0 ? (values[i] ?? 0) / scale : 0);
    words[i >> 1] = (words[i >> 1] ?? 0) | (i % 2 === 0 ? level : level << 4);
  }
}

/** Of a number from −1 to 1: a binary search. */
function nearestLevel(x: number): number {
  let level = x > (NF4_MIDDLES[7] ?? 0) ? 8 : 0;
  if (x > (NF4_MIDDLES[level + 3] ?? 0)) level += 4;
  if (x > (NF4_MIDDLES[level + 1] ?? 0)) level += 2;
  if (x > (NF4_MIDDLES[level] ?? 0)) level += 1;
  return level;
}

/** The f32 numbers that every kernel computes with, `length` of them. */
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
