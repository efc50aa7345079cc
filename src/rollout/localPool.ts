/** A pool of one generator in the caller's own thread: for Node, where there are no Web Workers. */
import { breathe } from '../backend/eventLoop.ts';
import { checkGenerator } from './dealing.ts';
import { Generator, type GeneratorModel } from './generator.ts';
import type { GeneratorPool } from './types.ts';
import { checkPool, weightsOf, type WeightPrecision } from './weightFormat.ts';

export interface LocalPool extends GeneratorPool {
  /** Bytes of GPU memory of the generator. */
  readonly gpuBytes: number;
}

/** On the running backend. Between two rounds of decoding the event loop gets a turn, so that a trainer can work meanwhile. */
export function createLocalPool(model: GeneratorModel, precision: WeightPrecision = 'f32'): LocalPool {
  const generator = new Generator(model, precision, breathe);
  let handedOverBytes = 0;
  const generate: GeneratorPool['generate'] = (requests, sampling, options) =>
    generator.generate(requests, sampling, options);
  return {
    size: 1,
    get gpuBytes() {
      return generator.gpuBytes;
    },
    get busySeconds() {
      return generator.busySeconds;
    },
    get handedOverBytes() {
      return handedOverBytes;
    },
    async setWeights(version, packed) {
      checkPool(model.config, packed);
      const weights =
        precision === 'f32'
          ? { precision, bytes: new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength) }
          : weightsOf(model.config, packed, precision);
      handedOverBytes = weights.bytes.length;
      await generator.setWeights(version, weights);
    },
    setAdapter: () =>
      Promise.reject(new Error('These generators were started without LoRA and take no adapter.')),
    generate,
    async generateOn(index, requests, sampling, options) {
      checkGenerator(index, 1);
      return generate(requests, sampling, options);
    },
    dispose: () => generator.dispose(),
  };
}
