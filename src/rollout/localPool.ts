/** A pool of one generator in the caller's own thread: for Node, where there are no Web Workers. */
import { Generator, type GeneratorModel } from './generator.ts';
import type { GeneratorPool } from './types.ts';

export function createLocalPool(model: GeneratorModel): GeneratorPool {
  const generator = new Generator(model);
  return {
    size: 1,
    setWeights: (version, packed) => Promise.resolve(generator.setWeights(version, packed)),
    generate: (requests, sampling, options = {}) =>
      generator.generate(requests, sampling, { ...options, breathe: () => Promise.resolve() }),
    dispose: () => generator.dispose(),
  };
}
