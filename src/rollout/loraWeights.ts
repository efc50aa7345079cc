/**
 * What a generator keeps on the host under LoRA: the frozen base, 4 bytes a parameter (once for all generators where its memory
 * is shared), and the newest adapter's factors. Its engine merges them on its device, in f32 and always from the base, so no
 * rounding is added to the next version's.
 */
import type { ModelConfig } from '../model/config.ts';
import type { LoraSettings } from '../model/lora.ts';
import { copyBase, mergeFactors, mergePlan, type MergePlan } from '../model/mergePlan.ts';
import { packedLength } from '../model/parameters.ts';
import { poolOf, type WeightBytes } from './weights.ts';

export class LoraWeights {
  readonly plan: MergePlan;
  #base: Float32Array | null = null;
  #factors: Float32Array<ArrayBuffer> | null = null;

  /** @throws LoraError where such an adapter is impossible. */
  constructor(config: ModelConfig, settings: LoraSettings) {
    this.plan = mergePlan(config, settings);
  }

  /** Takes a base, which must not change any more. It has no adapter at first. */
  setBase(weights: WeightBytes): void {
    this.#base = poolOf(this.plan.base, weights);
    this.#factors = null;
  }

  /** Takes a copy of an adapter's pool. Throws where there is no base, or where it is of another length. */
  setAdapter(adapterPool: Float32Array): void {
    if (!this.#base) throw new Error('it has no base weights to merge them into.');
    this.#factors = mergeFactors(this.plan, adapterPool);
  }

  /** In the layout of the base model; parameters lie at their `baseOffset`. */
  get base(): Float32Array {
    if (!this.#base) throw new Error('There are no base weights yet.');
    return this.#base;
  }

  /** The matrices of the plan's products; null before a base's first adapter. */
  get factors(): Float32Array<ArrayBuffer> | null {
    return this.#factors;
  }

  /** The base in the layout of the merged model: a copy where the adapter unties the head. */
  get wideBase(): Float32Array {
    const { base, merged } = this.plan;
    if (merged === base) return this.base;
    const pool = new Float32Array(packedLength(merged));
    copyBase(this.plan, this.base, pool);
    return pool;
  }
}

/** Throws for an adapter where there is no LoRA. */
export function refuseAdapter(): never {
  throw new Error('it was started without LoRA.');
}
