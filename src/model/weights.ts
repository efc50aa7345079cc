/** The parameters of a model on the device, and their way in and out: Hugging Face arrays, one packed array, copies. */
import * as tf from '../backend/tf.ts';
import type { ModelConfig } from './config.ts';
import { parameterSpecs, type ParameterSpec } from './oldParameters.ts';

export type ArrayMap = ReadonlyMap<
  string,
  { readonly shape: readonly number[]; readonly data: Float32Array }
>;

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

/** Number of floats in the packed form of a model's weights. */
export function packedLength(config: ModelConfig): number {
  return parameterSpecs(config).reduce((sum, spec) => sum + sizeOf(spec.shape), 0);
}

/** `rows` x `columns`, row-major, to `columns` x `rows`. */
function transpose(data: Float32Array, rows: number, columns: number): Float32Array {
  const result = new Float32Array(data.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) result[c * rows + r] = data[r * columns + c] as number;
  }
  return result;
}

export class ModelWeights {
  readonly config: ModelConfig;
  readonly specs: readonly ParameterSpec[];
  readonly #tensors: Map<string, tf.Tensor>;

  private constructor(config: ModelConfig, tensors: Map<string, tf.Tensor>) {
    this.config = config;
    this.specs = parameterSpecs(config);
    this.#tensors = tensors;
  }

  /** From Hugging Face names, shapes and layout, already verified by the loader. Throws on a missing name. */
  static fromHuggingFace(config: ModelConfig, arrays: ArrayMap): ModelWeights {
    return ModelWeights.#build(config, (spec) => {
      const array = arrays.get(spec.name);
      if (!array) throw new Error(`The weights lack ${spec.name}.`);
      const [rows = 0, columns = 0] = spec.hfShape;
      return spec.transposed ? transpose(array.data, rows, columns) : array.data.slice();
    });
  }

  /** From the packed form of `pack`. Throws when the length differs. */
  static fromPacked(config: ModelConfig, packed: Float32Array): ModelWeights {
    const needed = packedLength(config);
    if (packed.length !== needed) {
      throw new Error(`Packed weights hold ${packed.length} numbers; this model needs ${needed}.`);
    }
    let offset = 0;
    return ModelWeights.#build(config, (spec) => {
      const begin = offset;
      offset += sizeOf(spec.shape);
      // A copy: the packed array may be shared memory, which tensors must not alias.
      return new Float32Array(packed.subarray(begin, offset));
    });
  }

  static #build(config: ModelConfig, valuesOf: (spec: ParameterSpec) => Float32Array): ModelWeights {
    const tensors = new Map<string, tf.Tensor>();
    for (const spec of parameterSpecs(config)) {
      tensors.set(spec.name, tf.keep(tf.tensor(valuesOf(spec), [...spec.shape], 'float32')));
    }
    return new ModelWeights(config, tensors);
  }

  get(name: string): tf.Tensor {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new Error(`The model has no parameter ${name}.`);
    return tensor;
  }

  /** The head's matrix [V, D]: the embedding where the two are tied. */
  get head(): tf.Tensor {
    return this.get(this.config.tiedHead ? 'model.embed_tokens.weight' : 'lm_head.weight');
  }

  /** Takes ownership of `tensor` and frees the old one. */
  replace(name: string, tensor: tf.Tensor): void {
    this.get(name).dispose();
    this.#tensors.set(name, tf.keep(tensor));
  }

  /** All parameters, one after the other in the order of `specs`, in our layout. */
  async pack(target: Float32Array = new Float32Array(packedLength(this.config))): Promise<Float32Array> {
    let offset = 0;
    for (const spec of this.specs) {
      const values = await this.get(spec.name).data<'float32'>();
      target.set(values, offset);
      offset += values.length;
    }
    return target;
  }

  /** Names, shapes and layout of a Hugging Face file. */
  async toHuggingFace(): Promise<Map<string, { shape: readonly number[]; data: Float32Array }>> {
    const arrays = new Map<string, { shape: readonly number[]; data: Float32Array }>();
    for (const spec of this.specs) {
      const values = await this.get(spec.name).data<'float32'>();
      const [rows = 0, columns = 0] = spec.shape;
      const data = spec.transposed ? transpose(values, rows, columns) : new Float32Array(values);
      arrays.set(spec.name, { shape: spec.hfShape, data });
    }
    return arrays;
  }

  dispose(): void {
    for (const tensor of this.#tensors.values()) tensor.dispose();
    this.#tensors.clear();
  }
}
