/** Random weights for a model made from nothing. */
import { normal } from '@rl-playground/base/random';
import type { ModelConfig } from './config.ts';
import { huggingFaceSpecs, sizeOf } from './parameters.ts';
import type { TensorData } from './weights.ts';

/**
 * Random weights in Hugging Face layout. Matrices are normal with σ = 1/√(inputs), and those that write into the residual stream are
 * further divided by √(2 · layers) (GPT-2's rule); norms scale by 1, biases are 0. `draw` yields uniform numbers in [0, 1).
 */
export function initialWeights(config: ModelConfig, draw: () => number): Map<string, TensorData> {
  const arrays = new Map<string, TensorData>();
  for (const { name, shape } of huggingFaceSpecs(config)) {
    const data = new Float32Array(sizeOf(shape));
    if (shape.length === 1) {
      data.fill(name.endsWith('.bias') ? 0 : 1 - config.normShift);
    } else {
      const writesResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
      const sigma = (writesResidual ? 1 / Math.sqrt(2 * config.layers) : 1) / Math.sqrt(shape[1] as number);
      for (let i = 0; i < data.length; i++) data[i] = sigma * normal(draw);
    }
    arrays.set(name, { shape, data });
  }
  return arrays;
}
