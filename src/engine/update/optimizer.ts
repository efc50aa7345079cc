/**
 * AdamW over the pool of trained weights (all, or an adapter's) and over that of a value head, with clipping of their common gradient
 * norm. Moments are f32, on the device.
 */
import type { Breathe } from '../backend/eventLoop.ts';
import * as tf from '../backend/tf.ts';
import { adamwStep, squaredNorm, zeros } from '../kernels/index.ts';
import { readFloats } from '../kernels/shared/tensorBytes.ts';
import { Adapter, type Trainable, type TrainedGradients } from '../model/adapter.ts';
import type { ValueHead } from '../model/valueHead.ts';

export interface OptimizerSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Largest allowed global L2 norm of the gradient; 0 clips nothing. */
  readonly clipNorm: number;
  /** The factor on the learning rate of a value head; 1 by default. */
  readonly valueRate?: number;
}

export interface OptimizerState {
  readonly step: number;
  /** The moments by the names and in the layout of the file that holds the trained weights: Hugging Face's, or PEFT's for an adapter. */
  readonly moments: ReadonlyMap<string, { readonly m: Float32Array; readonly v: Float32Array }>;
}

export interface UpdateOptions {
  /** The factor on the summed gradients: 1 / denominator if that is known only at the end of a batch. 1 by default. */
  readonly gradientScale?: number;
}

interface UpdateCall extends UpdateOptions {
  /** The update awaits it between kernels; without it the update takes one turn of the event loop. */
  readonly breathe?: Breathe;
}

const AT_ONCE: Breathe = () => Promise.resolve();

/** One pool that is updated: its moments, and the sums of its gradients. */
interface Part<P extends Trainable | ValueHead, G extends { readonly tensor: tf.Tensor }> {
  readonly pool: P;
  readonly m: tf.Tensor;
  readonly v: tf.Tensor;
  gradients: G;
}

/** @throws Error if `state` lacks moments of something in `pool`. */
function partOf<P extends Trainable | ValueHead>(pool: P, state: OptimizerState | null) {
  const moments = (moment: 'm' | 'v'): tf.Tensor => {
    if (!state) return tf.keep(zeros(pool.tensor.size));
    const arrays = new Map([...state.moments].map(([name, both]) => [name, { data: both[moment] }]));
    return tf.keep(tf.tensor1d(pool.packNamed(arrays)));
  };
  return { pool, m: moments('m'), v: moments('v') };
}

export class Optimizer {
  readonly #settings: OptimizerSettings;
  readonly #policy: Part<Trainable, TrainedGradients>;
  readonly #valueHead: Part<ValueHead, ValueHead> | null;
  #step: number;

  /** @throws Error if `state` lacks moments of a trained weight. */
  constructor(
    trainable: Trainable,
    settings: OptimizerSettings,
    state: OptimizerState | null = null,
    valueHead: ValueHead | null = null,
  ) {
    this.#settings = settings;
    this.#policy = { ...partOf(trainable, state), gradients: trainable.newGradients() };
    this.#valueHead = valueHead && { ...partOf(valueHead, state), gradients: valueHead.newGradients() };
    this.#step = state?.step ?? 0;
  }

  get #parts() {
    return this.#valueHead === null ? [this.#policy] : [this.#policy, this.#valueHead];
  }

  get step(): number {
    return this.#step;
  }

  /** The sums to which backward passes add; they are zero after every update. */
  get gradients(): TrainedGradients {
    return this.#policy.gradients;
  }

  /** The sums of the value head's gradients; null if there is none. */
  get valueGradients(): ValueHead | null {
    return this.#valueHead?.gradients ?? null;
  }

  /** Forgets the gradients that a broken step has added. */
  clearGradients(): void {
    for (const { gradients } of this.#parts) gradients.dispose();
    this.#policy.gradients = this.#policy.pool.newGradients();
    if (this.#valueHead) this.#valueHead.gradients = this.#valueHead.pool.newGradients();
  }

  /**
   * Applies one update with the summed gradients, scaled, and returns their global norm before clipping.
   *
   * @throws Error, without changing weights and moments, if the norm is not finite or the scale is not above 0.
   */
  async update(
    learningRate: number,
    { gradientScale = 1, breathe = AT_ONCE }: UpdateCall = {},
  ): Promise<{ gradNorm: number }> {
    if (!(gradientScale > 0 && Number.isFinite(gradientScale))) {
      throw new Error(`The gradients are to be multiplied by ${gradientScale}; it must be a number above 0.`);
    }
    const { beta1, beta2, epsilon, weightDecay, clipNorm, valueRate = 1 } = this.#settings;
    const step = this.#step + 1;
    await breathe();
    const norm = this.#squaredNorm();
    await breathe();
    for (const { pool, m, v, gradients } of this.#parts)
      adamwStep(
        { parameters: pool.tensor, gradients: gradients.tensor, m, v, squaredNorm: norm },
        {
          gradientScale,
          learningRate: pool === this.#valueHead?.pool ? valueRate * learningRate : learningRate,
          beta1,
          beta2,
          epsilon,
          weightDecay,
          decayedLength: pool.decayedLength,
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

  /** Σ g² over all that is trained [1]. */
  #squaredNorm(): tf.Tensor1D {
    const own = squaredNorm(this.#policy.gradients.tensor);
    const head = this.#valueHead;
    if (head === null) return own;
    const ofHead = squaredNorm(head.gradients.tensor);
    const sum = tf.add<tf.Tensor1D>(own, ofHead);
    tf.dispose([own, ofHead]);
    return sum;
  }

  async state(): Promise<OptimizerState> {
    // Both are read before anything else gets a turn.
    const read = await Promise.all(
      this.#parts.map(async ({ pool, m, v }) => {
        const [first, second] = await Promise.all([readFloats(m), readFloats(v)]);
        return { pool, first, second };
      }),
    );
    const moments = new Map<string, { readonly m: Float32Array; readonly v: Float32Array }>();
    for (const { pool, first, second } of read) {
      const named = (values: Float32Array) =>
        pool instanceof Adapter ? pool.takeNamed(values) : pool.unpackNamed(values);
      const [m, v] = [await named(first), await named(second)];
      for (const [name, { data }] of m)
        moments.set(name, { m: data, v: v.get(name)?.data ?? new Float32Array() });
    }
    return { step: this.#step, moments };
  }

  dispose(): void {
    for (const { m, v, gradients } of this.#parts) {
      tf.dispose([m, v]);
      gradients.dispose();
    }
  }
}
