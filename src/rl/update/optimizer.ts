/**
 * AdamW over the pool of whatever is trained, all weights or an adapter, with clipping of the global gradient norm; moments in
 * f32 on the device.
 */
import * as tf from '../../backend/tf.ts';
import { adamwStep, squaredNorm } from '../../kernels/index.ts';
import { readFloats } from '../../kernels/tensorBytes.ts';
import type { Trainable, TrainedGradients } from '../../model/adapter.ts';

export interface OptimizerSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Largest allowed global L2 norm of the gradient; 0 clips nothing. */
  readonly clipNorm: number;
}

export interface OptimizerState {
  readonly step: number;
  /** By the names and in the layout of the file that what is trained is stored in: Hugging Face's, or PEFT's of an adapter. */
  readonly moments: ReadonlyMap<string, { readonly m: Float32Array; readonly v: Float32Array }>;
}

export interface UpdateOptions {
  /** What the summed gradients are multiplied by first: 1 / denominator where that is known only at the end of a batch. */
  readonly gradientScale?: number;
}

export class Optimizer {
  readonly #trainable: Trainable;
  readonly #settings: OptimizerSettings;
  readonly #m: tf.Tensor;
  readonly #v: tf.Tensor;
  #gradients: TrainedGradients;
  #step: number;

  /** Throws where `state` lacks moments of something that is trained. */
  constructor(trainable: Trainable, settings: OptimizerSettings, state: OptimizerState | null = null) {
    this.#trainable = trainable;
    this.#settings = settings;
    const pool = (moment: 'm' | 'v'): tf.Tensor => {
      if (!state) return tf.keep(tf.fill(trainable.tensor.shape, 0));
      const arrays = new Map([...state.moments].map(([name, both]) => [name, { data: both[moment] }]));
      return tf.keep(tf.tensor1d(trainable.packNamed(arrays)));
    };
    this.#m = pool('m');
    this.#v = pool('v');
    this.#gradients = trainable.newGradients();
    this.#step = state?.step ?? 0;
  }

  /** Updates made so far, those of earlier sessions included. */
  get step(): number {
    return this.#step;
  }

  /** Where backward passes add up; zero after every update. */
  get gradients(): TrainedGradients {
    return this.#gradients;
  }

  /** Forgets what a broken step has added up. */
  clearGradients(): void {
    this.#gradients.dispose();
    this.#gradients = this.#trainable.newGradients();
  }

  /**
   * Applies one update with the gradients added up, scaled, and returns their global norm before clipping. Throws, leaving
   * weights and moments as they are, when the norm is not finite or the scale not above 0.
   */
  async update(
    learningRate: number,
    { gradientScale = 1 }: UpdateOptions = {},
  ): Promise<{ gradNorm: number }> {
    if (!(gradientScale > 0 && Number.isFinite(gradientScale))) {
      throw new Error(`The gradients are to be multiplied by ${gradientScale}; it must be a number above 0.`);
    }
    const { beta1, beta2, epsilon, weightDecay, clipNorm } = this.#settings;
    const step = this.#step + 1;
    const norm = squaredNorm(this.#gradients.tensor);
    adamwStep(
      {
        parameters: this.#trainable.tensor,
        gradients: this.#gradients.tensor,
        m: this.#m,
        v: this.#v,
        squaredNorm: norm,
      },
      {
        gradientScale,
        learningRate,
        beta1,
        beta2,
        epsilon,
        weightDecay,
        decayedLength: this.#trainable.decayedLength,
        clipNorm,
        correction1: 1 - beta1 ** step,
        correction2: 1 - beta2 ** step,
      },
    );
    const [square = NaN] = await norm.data<'float32'>();
    norm.dispose();
    const gradNorm = gradientScale * Math.sqrt(square);
    if (!Number.isFinite(gradNorm)) {
      throw new Error(
        `The gradient norm of update ${step} is ${gradNorm}; it must be finite. ` +
          'The weights were left as they are: lower the learning rate and train on.',
      );
    }
    this.#step = step;
    return { gradNorm };
  }

  async state(): Promise<OptimizerState> {
    // Both are read before anything else gets a turn.
    const [first, second] = await Promise.all([readFloats(this.#m), readFloats(this.#v)]);
    const m = await this.#trainable.takeNamed(first);
    const v = await this.#trainable.takeNamed(second);
    const moments = new Map(
      [...m].map(([name, { data }]) => [name, { m: data, v: v.get(name)?.data ?? new Float32Array() }]),
    );
    return { step: this.#step, moments };
  }

  dispose(): void {
    tf.dispose([this.#m, this.#v]);
    this.#gradients.dispose();
  }
}
