/** The parameters of a model on the device: one pool, its slices by name, and the way in and out. */
import * as tf from '../backend/tf.ts';
import type { Slice } from '../kernels/slice.ts';
import type { ModelConfig } from './config.ts';
import { decayedLength, packedLength, parameterSpecs, type ParameterSpec } from './parameters.ts';
import { packArrays, unpackArrays, type ArrayMap } from './poolLayout.ts';
import type { Trainable } from './trainable.ts';

export type { ArrayMap };

/** Named slices of one tensor in the layout of `parameterSpecs`: weights, or gradients of them. */
export class ParameterPool {
  readonly config: ModelConfig;
  readonly specs: readonly ParameterSpec[];
  readonly tensor: tf.Tensor;
  readonly #slices: ReadonlyMap<string, Slice>;

  /** Copies `values`, which may be shared memory. Throws when the length differs from the model's. */
  constructor(config: ModelConfig, values: Float32Array | null) {
    const needed = packedLength(config);
    if (values && values.length !== needed) {
      throw new Error(`Packed weights hold ${values.length} numbers; this model needs ${needed}.`);
    }
    this.config = config;
    this.specs = parameterSpecs(config);
    this.tensor = tf.keep(values ? tf.tensor1d(new Float32Array(values)) : tf.zeros([needed]));
    this.#slices = new Map(
      this.specs.map(({ name, offset, shape }) => [name, { tensor: this.tensor, offset, shape }]),
    );
  }

  has(name: string): boolean {
    return this.#slices.has(name);
  }

  /** Throws where the model has no such parameter. */
  get(name: string): Slice {
    const slice = this.#slices.get(name);
    if (!slice) throw new Error(`The model has no parameter ${name}.`);
    return slice;
  }

  /** The head's matrix [V, D]: the embedding where the two are tied. */
  get head(): Slice {
    return this.get(this.config.tiedHead ? 'model.embed_tokens.weight' : 'lm_head.weight');
  }

  /** A copy of the pool, into `target` where one is given. */
  async pack(target?: Float32Array): Promise<Float32Array> {
    const values = await this.tensor.data<'float32'>();
    if (!target) return values.slice();
    target.set(values);
    return target;
  }

  /** Names, shapes and layout of a Hugging Face file. */
  async toHuggingFace(): Promise<Map<string, { shape: readonly number[]; data: Float32Array<ArrayBuffer> }>> {
    return unpackArrays(this.config, await this.tensor.data<'float32'>());
  }

  dispose(): void {
    this.tensor.dispose();
  }
}

export class ModelWeights extends ParameterPool implements Trainable {
  /** From Hugging Face names, shapes and layout, already verified by the loader. Throws on a missing name. */
  static fromHuggingFace(config: ModelConfig, arrays: ArrayMap): ModelWeights {
    return new ModelWeights(config, packArrays(config, arrays));
  }

  /** From the packed form of `pack`. Throws when the length differs. */
  static fromPacked(config: ModelConfig, packed: Float32Array): ModelWeights {
    return new ModelWeights(config, packed);
  }

  get decayedLength(): number {
    return decayedLength(this.config);
  }

  newGradients(): Gradients {
    return new Gradients(this.config);
  }

  packNamed(arrays: ReadonlyMap<string, { readonly data: Float32Array }>): Float32Array {
    return packArrays(this.config, arrays);
  }

  unpackNamed(pool: Float32Array): ArrayMap {
    return unpackArrays(this.config, pool);
  }
}

/** Sums of gradients by parameter, in the layout of the weights; zero at first. Ops add into its slices. */
export class Gradients extends ParameterPool {
  constructor(config: ModelConfig) {
    super(config, null);
  }
}
