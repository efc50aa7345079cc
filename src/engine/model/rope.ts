/** Frequencies of the rotary position embedding, with the two scalings that Llama models use, in float64. */
import type { ModelConfig } from './config.ts';

/**
 * The angle per position of each of the headDim / 2 pairs: θ^(−2i / headDim), then scaled. `linear` divides every frequency by the
 * factor. `llama3` divides only the slow ones (wavelength above original / lowFreqFactor), keeps the fast ones (below original /
 * highFreqFactor) and blends between the two.
 */
export function ropeFrequencies(config: ModelConfig): number[] {
  const { headDim, ropeTheta, ropeScaling } = config;
  return Array.from({ length: headDim / 2 }, (_, i) => {
    const frequency = ropeTheta ** ((-2 * i) / headDim);
    if (ropeScaling === null) return frequency;
    if (ropeScaling.type === 'linear') return frequency / ropeScaling.factor;
    const { factor, lowFreqFactor, highFreqFactor, originalMaxPositions } = ropeScaling;
    const turns = (originalMaxPositions * frequency) / (2 * Math.PI);
    const keep = Math.min(1, Math.max(0, (turns - lowFreqFactor) / (highFreqFactor - lowFreqFactor)));
    return keep * frequency + ((1 - keep) * frequency) / factor;
  });
}

/** Row-major tables [positions, headDim / 2]. */
export function ropeTables(
  config: ModelConfig,
  positions: number,
): { cosines: Float32Array; sines: Float32Array } {
  const frequencies = ropeFrequencies(config);
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
