/**
 * The parameters of a model on the device: one pool, its slices by name, and the conversions between Hugging Face's tensors and the
 * layout of `parameterSpecs`.
 */
import * as tf from '../backend/tf.ts';
import { readFloats, writeBytes } from '../kernels/shared/tensorBytes.ts';
import { zeros } from '../kernels/zeros/zeros.ts';
import type { Slice } from '../kernels/shared/slice.ts';
import type { ModelConfig } from './config.ts';
import {
  decayedLength,
  huggingFaceSpecs,
  packedLength,
  parameterSpecs,
  sizeOf,
  type ParameterPart,
  type ParameterSpec,
} from './parameters.ts';
import { EMBEDDING, HEAD } from './weightNames.ts';

/** A tensor of a file, with its values as f32. */
export interface TensorData {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Tensors by the names of a file: Hugging Face's for weights, PEFT's for an adapter. */
export type WeightArrays = ReadonlyMap<string, TensorData>;

/** share · `to` + (1 − share) · `from`, number by number. @throws Error if `to` lacks a tensor of `from`. */
export function mixedArrays(from: WeightArrays, to: WeightArrays, share: number): WeightArrays {
  return new Map(
    [...from].map(([name, { shape, data }]) => {
      const target = requiredTensor(to, name).data;
      const mixed = data.map((value, i) => share * (target[i] ?? NaN) + (1 - share) * value);
      return [name, { shape, data: mixed }];
    }),
  );
}

/** `WeightArrays` whose shapes have been checked. */
export type NamedValues = ReadonlyMap<string, { readonly data: Float32Array }>;

/** A tensor by its name. @throws Error if there is none. */
export function requiredTensor<T>(tensors: ReadonlyMap<string, T>, name: string): T {
  const tensor = tensors.get(name);
  if (!tensor) throw new Error(`The weights lack ${name}.`);
  return tensor;
}

/** @throws Error if a pool does not belong to this model. */
export function checkPool(config: ModelConfig, pool: Float32Array): void {
  const needed = packedLength(config);
  if (pool.length === needed) return;
  throw new Error(`Packed weights hold ${pool.length} numbers; this model needs ${needed}.`);
}

/** One tensor of everything: all weights, all matrices of an adapter, or gradients of either. */
export class Pool {
  readonly tensor: tf.Tensor;

  /** Copies `values`, which may be shared memory; `length` zeros for null. */
  constructor(values: Float32Array | null, length: number) {
    // `tf.tensor1d` takes no shared memory.
    this.tensor = tf.keep(zeros(length));
    if (values) this.set(values);
  }

  /** Copies `values` into the pool. They may be shared memory and must have its length. */
  set(values: Float32Array): void {
    writeBytes(this.tensor, 0, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** A copy of the pool, in `target` if it is given. */
  async pack(target?: Float32Array): Promise<Float32Array> {
    return readFloats(this.tensor, target);
  }

  dispose(): void {
    this.tensor.dispose();
  }
}

/** Named slices of one tensor in the layout of `parameterSpecs`: weights, or sums of their gradients, to which ops add. */
export class ParameterPool extends Pool {
  readonly config: ModelConfig;
  readonly specs: readonly ParameterSpec[];
  readonly #slices: ReadonlyMap<string, Slice>;

  /** Copies `values`, which may be shared memory; null makes zeros. @throws Error if their length is not the model's. */
  constructor(config: ModelConfig, values: Float32Array | null) {
    if (values) checkPool(config, values);
    super(values, packedLength(config));
    this.config = config;
    this.specs = parameterSpecs(config);
    this.#slices = new Map(
      this.specs.map(({ name, offset, shape }) => [name, { tensor: this.tensor, offset, shape }]),
    );
  }

  has(name: string): boolean {
    return this.#slices.has(name);
  }

  /** A parameter by our name. @throws Error if the model has none of that name. */
  get(name: string): Slice {
    const slice = this.#slices.get(name);
    if (!slice) throw new Error(`The model has no parameter ${name}.`);
    return slice;
  }

  /** `get` under the name that frozen bases have too. */
  matrix(name: string): Slice {
    return this.get(name);
  }

  /** The head's matrix [V, D], which is the embedding if the two are tied. */
  get head(): Slice {
    return this.get(this.config.tiedHead ? EMBEDDING : HEAD);
  }

  /** The tensors with the names, shapes and layout of a Hugging Face file. */
  async toHuggingFace(): Promise<Map<string, TensorData>> {
    return unpackArrays(this.config, await this.pack());
  }
}

export class ModelWeights extends ParameterPool {
  /** Makes weights from Hugging Face's names, shapes and layout, which the loader has checked. @throws Error for a missing name. */
  static fromHuggingFace(config: ModelConfig, arrays: NamedValues): ModelWeights {
    return new ModelWeights(config, packArrays(config, arrays));
  }

  /** The number of floats at the start of the pool that weight decay acts on. */
  get decayedLength(): number {
    return decayedLength(this.config);
  }

  /** A pool of zeros in the same layout; the caller disposes of it. */
  newGradients(): ParameterPool {
    return new ParameterPool(this.config, null);
  }

  /** Converts the tensors of a file to the layout of the pool. @throws Error for a missing name. */
  packNamed(arrays: NamedValues): Float32Array {
    return packArrays(this.config, arrays);
  }

  /** Converts any array in the layout of the pool to the tensors of a file. @throws Error for another length. */
  unpackNamed(pool: Float32Array): WeightArrays {
    return unpackArrays(this.config, pool);
  }
}

/** Calls `move(ours, theirs)` with the index of each number of a part in the pool and in its Hugging Face tensor. */
function eachElement(
  { shape, transposed, offset }: ParameterSpec,
  { column, columns }: ParameterPart,
  move: (ours: number, theirs: number) => void,
): void {
  const rows = shape.length === 1 ? 1 : (shape[0] as number);
  const width = shape.at(-1) as number;
  for (let row = 0; row < rows; row++) {
    const from = offset + row * width + column;
    for (let i = 0; i < columns; i++) move(from + i, transposed ? i * rows + row : row * columns + i);
  }
}

/** Packs the tensors of a file. @throws Error for a missing name; the loader must have checked the shapes. */
export function packArrays(config: ModelConfig, arrays: NamedValues): Float32Array<ArrayBuffer> {
  const pool = new Float32Array(packedLength(config));
  for (const spec of parameterSpecs(config)) {
    for (const part of spec.parts) {
      const { data } = requiredTensor(arrays, part.name);
      eachElement(spec, part, (ours, theirs) => (pool[ours] = data[theirs] as number));
    }
  }
  return pool;
}

/** Unpacks a pool to the names, shapes, layout and order of a Hugging Face file. @throws Error for another length. */
export function unpackArrays(config: ModelConfig, pool: Float32Array): Map<string, TensorData> {
  checkPool(config, pool);
  const arrays = new Map(
    huggingFaceSpecs(config).map(({ name, shape }) => {
      const data = new Float32Array(sizeOf(shape));
      return [name, { shape, data }];
    }),
  );
  for (const spec of parameterSpecs(config)) {
    for (const part of spec.parts) {
      const data = arrays.get(part.name)?.data;
      if (data) eachElement(spec, part, (ours, theirs) => (data[theirs] = pool[ours] as number));
    }
  }
  return arrays;
}
