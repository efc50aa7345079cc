/**
 * A generator's weights under LoRA: the frozen base, which it keeps, and what comes of merging an adapter into it. Merging is in
 * f32 from a base in f32, whatever the engine holds, so no rounding is added to the next version's. That takes, per generator and
 * on the host, 4 bytes a parameter for the merged pool and as many for the base (once for all where its memory is shared), and
 * 2 more for the encoded pool where the engine takes f16.
 */
import type { ModelConfig } from '../model/config.ts';
import { adapterLength, mergedConfig, type LoraSettings } from '../model/lora.ts';
import { mergeAdapter } from '../model/mergeAdapter.ts';
import { packedLength } from '../model/parameters.ts';
import {
  bytesOf,
  checkPool,
  encodeWeights,
  weightLayout,
  type WeightBytes,
  type WeightPrecision,
} from './weightFormat.ts';

export class LoraWeights {
  /** Of the merged weights. */
  readonly config: ModelConfig;
  readonly #baseConfig: ModelConfig;
  readonly #settings: LoraSettings;
  readonly #precision: WeightPrecision;
  readonly #factors: number;
  #base: Float32Array | null = null;
  #merged: Float32Array | undefined;
  #encoded: Uint8Array | undefined;

  /** @throws LoraError where such an adapter is impossible. `precision`: of the merged weights. */
  constructor(baseConfig: ModelConfig, settings: LoraSettings, precision: WeightPrecision) {
    this.#factors = adapterLength(baseConfig, settings);
    this.config = mergedConfig(baseConfig, settings);
    this.#baseConfig = baseConfig;
    this.#settings = settings;
    this.#precision = precision;
  }

  /** Takes a base, which must not change any more, and returns it as weights in the merged layout, valid until the next call. */
  withBase(base: Float32Array): WeightBytes {
    checkPool(this.#baseConfig, base);
    this.#base = base;
    if (this.config === this.#baseConfig) return this.#weightsOf(base);
    return this.withAdapter(new Float32Array(this.#factors));
  }

  /** Base and adapter merged, valid until the next call; the factors are not needed afterwards. */
  withAdapter(factors: Float32Array): WeightBytes {
    if (!this.#base) throw new Error('it has no base weights to merge them into.');
    this.#merged ??= new Float32Array(packedLength(this.config));
    mergeAdapter(this.#baseConfig, this.#base, factors, this.#settings, this.#merged);
    return this.#weightsOf(this.#merged);
  }

  #weightsOf(pool: Float32Array): WeightBytes {
    const precision = this.#precision;
    if (precision === 'f32') return { precision, bytes: bytesOf(pool) };
    this.#encoded ??= new Uint8Array(weightLayout(this.config, precision).bytes);
    encodeWeights(this.config, pool, precision, this.#encoded);
    return { precision, bytes: this.#encoded };
  }
}
