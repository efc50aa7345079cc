/** Frequencies of the rotary position embedding, with the two scalings that Llama models use, in float64. */
import type { Rope } from './layerAttention.ts';

/**
 * The angle per position of each of the headDim / 2 pairs: θ^(−2i / headDim), then scaled. `linear` divides every frequency by the
 * factor. `llama3` divides only the slow ones (wavelength above original / lowFreqFactor), keeps the fast ones (below original /
 * highFreqFactor) and blends between the two. Without a rotation every angle is 0.
 */
export function ropeFrequencies(headDim: number, rope: Rope | null): number[] {
  return Array.from({ length: headDim / 2 }, (_, i) => {
    if (rope === null) return 0;
    const { theta, scaling } = rope;
    const frequency = theta ** ((-2 * i) / headDim);
    if (scaling === null) return frequency;
    if (scaling.type === 'linear') return frequency / scaling.factor;
    const { factor, lowFreqFactor, highFreqFactor, originalMaxPositions } = scaling;
    const turns = (originalMaxPositions * frequency) / (2 * Math.PI);
    const keep = Math.min(1, Math.max(0, (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor)));
    return keep * frequency + ((1 - keep) * frequency) / factor;
  });
}

/** Row-major tables [positions, headDim / 2]. */
export function ropeTables(
  headDim: number,
  rope: Rope | null,
  positions: number,
): { cosines: Float32Array; sines: Float32Array } {
  const frequencies = ropeFrequencies(headDim, rope);
  const cosines = new Float32Array(positions * frequencies.length);
  const sines = new Float32Array(positions * frequencies.length);
  for (let position = 0; position < positions; position++) {
    frequencies.forEach((frequency, i) => {
      cosines[position * frequencies.length + i] = Math.cos(position * frequency);
      sines[position * frequencies.length + i] = Math.sin(position * frequency);
    });
  }
  return { cosines, sines };
}

/** What `make` returns for the rotation of each layer; layers with an equal one share it. */
export function byRope<T>(
  layers: readonly { readonly rope: Rope | null }[],
  make: (rope: Rope | null) => T,
): T[] {
  const made = new Map<string, T>();
  return layers.map(({ rope }) => {
    const key = JSON.stringify(rope);
    const known = made.get(key) ?? make(rope);
    made.set(key, known);
    return known;
  });
}
