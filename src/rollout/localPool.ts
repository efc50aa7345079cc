/** A pool of one generator in the caller's own thread: for Node, where there are no Web Workers. */
import { breathe } from '../backend/eventLoop.ts';
import { Generator, type GeneratorModel } from './generator.ts';
import type { GeneratorPool } from './types.ts';
import { checkPool, weightsOf, type WeightPrecision } from './weightFormat.ts';

export interface LocalPool extends GeneratorPool {
  /** Bytes of GPU memory of the generator. */
  readonly gpuBytes: number;
}

/** On the running backend. */
export function createLocalPool(model: GeneratorModel, precision: WeightPrecision = 'f32'): LocalPool {
  const generator = new Generator(model, precision, breathe);
  return {
    size: 1,
    get gpuBytes() {
      return generator.gpuBytes;
    },
    async setWeights(version, packed) {
      checkPool(model.config, packed);
      const weights =
        precision === 'f32'
          ? { precision, bytes: new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength) }
          : weightsOf(model.config, packed, precision);
      await generator.setWeights(version, weights);
    },
    generate: (requests, sampling, options = {}) =>
      generator.generate(requests, sampling, { ...options, breathe: () => Promise.resolve() }),
    dispose: () => generator.dispose(),
  };
}
