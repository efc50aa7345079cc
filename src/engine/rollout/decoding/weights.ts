/**
 * A policy's weights for the generators, and on the host beside them: as the pool itself or with matrices in half precision, which is
 * half the bytes, and under LoRA as a base and the newest factors. In either precision every parameter starts at a multiple of 256 bytes,
 * as WebGPU bindings must.
 */
import type { ModelConfig } from '../../model/config.ts';
import { fromFloat16, toFloat16 } from '../../kernels/shared/halfFloats.ts';
import { adapterLength, type LoraSettings } from '../../model/lora.ts';
import { packedLength, parameterSpecs } from '../../model/parameters.ts';
import { copyBase, mergeFactors, mergePlan, type MergePlan } from '../../model/mergePlan.ts';
import { checkPool } from '../../model/weights.ts';

export type WeightPrecision = 'f32' | 'f16';

/** Weights that are handed over. */
export interface WeightBytes {
  readonly precision: WeightPrecision;
  readonly bytes: Uint8Array;
}

export interface ParameterPlace {
  readonly name: string;
  /** The offset of the first float in the pool, and the number of floats. */
  readonly first: number;
  readonly length: number;
  /** The offset in bytes. */
  readonly offset: number;
  readonly size: number;
  readonly half: boolean;
}

export interface WeightLayout {
  readonly places: readonly ParameterPlace[];
  readonly bytes: number;
}

const BINDING_ALIGNMENT = 256;

/** The layout of weights. Matrices (what weight decay acts on) may be halves; norms and biases are always f32. */
export function weightLayout(config: ModelConfig, precision: WeightPrecision): WeightLayout {
  let next = 0;
  const places = parameterSpecs(config).map(({ name, shape, offset: first, decay }): ParameterPlace => {
    const length = shape.reduce((product, extent) => product * extent, 1);
    const half = precision === 'f16' && decay;
    const offset = precision === 'f16' ? next : first * 4;
    const size = Math.ceil((length * (half ? 2 : 4)) / 4) * 4;
    next = offset + Math.ceil(size / BINDING_ALIGNMENT) * BINDING_ALIGNMENT;
    return { name, first, length, offset, size, half };
  });
  return { places, bytes: precision === 'f32' ? packedLength(config) * 4 : next };
}

/** @throws Error if these are no factors of this model's adapter, or if it has none. */
export function checkAdapter(
  { config, lora }: { readonly config: ModelConfig; readonly lora?: LoraSettings },
  factors: Float32Array,
): void {
  if (!lora) throw new Error('These generators were started without LoRA, so they can take no adapter.');
  const needed = adapterLength(config, lora);
  if (factors.length === needed) return;
  throw new Error(
    `An adapter's packed factors are ${factors.length} numbers; this model and its LoRA settings need ${needed}.`,
  );
}

/** Writes a pool in that precision. `target` has the layout's number of bytes. */
export function encodeWeights(
  config: ModelConfig,
  pool: Float32Array,
  precision: WeightPrecision,
  target: Uint8Array,
): void {
  checkPool(config, pool);
  if (precision === 'f32') {
    new Float32Array(target.buffer, target.byteOffset, pool.length).set(pool);
    return;
  }
  for (const { first, length, offset, half } of weightLayout(config, precision).places) {
    const values = pool.subarray(first, first + length);
    const at = target.byteOffset + offset;
    if (half) new Uint16Array(target.buffer, at, length).set(toFloat16(values));
    else new Float32Array(target.buffer, at, length).set(values);
  }
}

/** The pool that `encodeWeights` was given: for f32 a view of the bytes, else a copy with the matrices as they were rounded. */
export function poolOf(config: ModelConfig, { precision, bytes }: WeightBytes): Float32Array {
  const layout = weightLayout(config, precision);
  if (bytes.length !== layout.bytes)
    throw new Error(
      `The weights are ${bytes.length} bytes; this model needs ${layout.bytes} as ${precision}.`,
    );
  if (precision === 'f32') return new Float32Array(bytes.buffer, bytes.byteOffset, layout.bytes / 4);
  const pool = new Float32Array(packedLength(config));
  for (const { first, length, offset, half } of layout.places) {
    const at = bytes.byteOffset + offset;
    if (half) pool.set(fromFloat16(new Uint16Array(bytes.buffer, at, length)), first);
    else pool.set(new Float32Array(bytes.buffer, at, length), first);
  }
  return pool;
}

/** A view of the bytes of numbers. */
export const bytesOf = (values: Float32Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Weights of a pool in a buffer of their own. */
export function weightsOf(config: ModelConfig, pool: Float32Array, precision: WeightPrecision): WeightBytes {
  const bytes = new Uint8Array(weightLayout(config, precision).bytes);
  encodeWeights(config, pool, precision, bytes);
  return { precision, bytes };
}

/**
 * The data of a generator under LoRA on the host: the frozen base, 4 bytes a parameter (once for all generators if its memory is shared),
 * and the newest adapter's factors. Its decoder merges them on its device, in f32 and always from the base, so no rounding is added to
 * the next version's.
 */
export class LoraWeights {
  readonly plan: MergePlan;
  #base: Float32Array | null = null;
  #factors: Float32Array<ArrayBuffer> | null = null;

  /** @throws LoraError if such an adapter is impossible. */
  constructor(config: ModelConfig, settings: LoraSettings) {
    this.plan = mergePlan(config, settings);
  }

  /** Takes a base, which must not change any more. It has no adapter at first. */
  setBase(weights: WeightBytes): void {
    this.#base = poolOf(this.plan.base, weights);
    this.#factors = null;
  }

  /** Takes a copy of an adapter's pool. @throws Error if there is no base, or if it has another length. */
  setAdapter(adapterPool: Float32Array): void {
    if (!this.#base) throw new Error('it has no base weights to merge them into.');
    this.#factors = mergeFactors(this.plan, adapterPool);
  }

  /** The base in the layout of the base model, where parameters are at their `baseOffset`. */
  get base(): Float32Array {
    if (!this.#base) throw new Error('There are no base weights yet.');
    return this.#base;
  }

  /** The matrices of the plan's products; null before a base's first adapter. */
  get factors(): Float32Array<ArrayBuffer> | null {
    return this.#factors;
  }

  /** The base in the layout of the merged model, which is a copy if the adapter unties the head. */
  get wideBase(): Float32Array {
    const { base, merged } = this.plan;
    if (merged === base) return this.base;
    const pool = new Float32Array(packedLength(merged));
    copyBase(this.plan, this.base, pool);
    return pool;
  }
}

/** @throws Error for an adapter without LoRA. */
export function refuseAdapter(): never {
  throw new Error('it was started without LoRA.');
}
