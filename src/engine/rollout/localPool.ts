/** A pool of one generator in the caller's own thread: for Node, where there are no Web Workers. */
import { breathe } from '../backend/eventLoop.ts';
import { checkGenerator } from './requests.ts';
import { Generator } from './generator.ts';
import type { GeneratorModel } from './decoding/decoder.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { BaseTakingPool } from './decoding/types.ts';
import {
  bytesOf,
  checkAdapter,
  weightsOf,
  type WeightBytes,
  type WeightPrecision,
} from './decoding/weights.ts';
import { checkPool } from '../model/weights.ts';

/** A pool on the running backend. The event loop gets a turn between two rounds of decoding, so that a trainer can work meanwhile. */
export function createLocalPool(model: GeneratorModel, precision: WeightPrecision = 'f32'): BaseTakingPool {
  const { config, lora } = model;
  const generator = new Generator(model, precision, breathe);
  let handedOverBytes = 0;
  let copy: FrozenBase | null = null;
  /** Waits until the caller's bytes are read. If requests are running, a copy of the bytes is taken once they are done, and nothing waits. */
  const whenFree = (taken: Promise<void>): Promise<void> => (generator.answering ? Promise.resolve() : taken);
  return {
    size: 1,
    get busySeconds() {
      return generator.busySeconds;
    },
    get handedOverBytes() {
      return handedOverBytes;
    },
    async setWeights(version, packed) {
      checkPool(config, packed);
      // A base is read again with every adapter.
      const ownCopy = lora !== undefined || generator.answering || precision !== 'f32';
      const weights: WeightBytes = ownCopy
        ? weightsOf(config, packed, lora ? 'f32' : precision)
        : { precision, bytes: bytesOf(packed) };
      handedOverBytes = weights.bytes.length;
      await whenFree(generator.setWeights(version, weights));
    },
    async setBase(version, base) {
      const before = copy;
      const here =
        base instanceof FrozenBase ? base : await FrozenBase.copied(config, model.frozen ?? {}, base);
      copy = here === base ? null : here;
      await generator.setBase(version, here);
      before?.dispose();
    },
    async setAdapter(version, packed) {
      checkAdapter(model, packed);
      const bytes = bytesOf(generator.answering ? packed.slice() : packed);
      handedOverBytes = bytes.length;
      await whenFree(generator.setAdapter(version, bytes));
    },
    generate: (requests, sampling, options) => generator.generate(requests, sampling, options),
    async generateOn(index, requests, sampling, options) {
      checkGenerator(index, 1);
      return generator.generate(requests, sampling, options);
    },
    dispose() {
      generator.dispose();
      copy?.dispose();
    },
  };
}
