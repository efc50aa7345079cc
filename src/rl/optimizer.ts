/** AdamW over all parameters with clipping of the global gradient norm; moments in f32 on the device. */
import * as tf from '../backend/tf.ts';
import { adamw, squaredNorm } from '../kernels/index.ts';
import type { Gradients } from '../model/languageModel.ts';
import type { ModelWeights } from '../model/weights.ts';

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
  /** By parameter name, in our layout. */
  readonly moments: ReadonlyMap<string, { readonly m: Float32Array; readonly v: Float32Array }>;
}

export class Optimizer {
  readonly #weights: ModelWeights;
  readonly #settings: OptimizerSettings;
  readonly #moments = new Map<string, { m: tf.Tensor; v: tf.Tensor }>();
  #step = 0;

  constructor(weights: ModelWeights, settings: OptimizerSettings, state: OptimizerState | null = null) {
    this.#weights = weights;
    this.#settings = settings;
    this.#step = state?.step ?? 0;
    for (const { name, shape } of weights.specs) {
      const saved = state?.moments.get(name);
      const moment = (values: Float32Array | undefined): tf.Tensor =>
        tf.keep(values ? tf.tensor(values.slice(), [...shape]) : tf.zeros([...shape]));
      this.#moments.set(name, { m: moment(saved?.m), v: moment(saved?.v) });
    }
  }

  /**
   * Applies one update and returns the global gradient norm before clipping. Throws, leaving weights and moments as they
   * are, when the norm is not finite.
   */
  async update(gradients: Gradients, learningRate: number): Promise<{ gradNorm: number }> {
    const { beta1, beta2, epsilon, weightDecay, clipNorm } = this.#settings;
    const gradNorm = await this.#globalNorm(gradients);
    if (!Number.isFinite(gradNorm)) {
      throw new Error(
        `The gradient norm of update ${this.#step + 1} is ${gradNorm}; it must be finite. ` +
          'The weights were left as they are: lower the learning rate and train on.',
      );
    }
    this.#step++;
    const gradientScale = clipNorm > 0 && gradNorm > clipNorm ? clipNorm / gradNorm : 1;
    for (const { name, decay } of this.#weights.specs) {
      const moments = this.#moments.get(name);
      if (!moments) throw new Error(`The optimizer has no moments for ${name}.`);
      const next = adamw(
        { parameter: this.#weights.get(name), gradient: gradients.get(name), ...moments },
        {
          learningRate,
          beta1,
          beta2,
          epsilon,
          weightDecay: decay ? weightDecay : 0,
          gradientScale,
          correction1: 1 - beta1 ** this.#step,
          correction2: 1 - beta2 ** this.#step,
        },
      );
      tf.dispose([moments.m, moments.v]);
      this.#moments.set(name, { m: tf.keep(next.m), v: tf.keep(next.v) });
      this.#weights.replace(name, next.parameter);
    }
    return { gradNorm };
  }

  async #globalNorm(gradients: Gradients): Promise<number> {
    const sums = tf.tidy(() =>
      tf.concat1d(this.#weights.specs.map(({ name }) => squaredNorm(gradients.get(name)))),
    );
    const values = await sums.data<'float32'>();
    sums.dispose();
    return Math.sqrt(values.reduce((sum, value) => sum + value, 0));
  }

  async state(): Promise<OptimizerState> {
    const moments = new Map<string, { m: Float32Array; v: Float32Array }>();
    for (const [name, { m, v }] of this.#moments) {
      moments.set(name, { m: (await m.data<'float32'>()).slice(), v: (await v.data<'float32'>()).slice() });
    }
    return { step: this.#step, moments };
  }

  dispose(): void {
    for (const { m, v } of this.#moments.values()) tf.dispose([m, v]);
    this.#moments.clear();
  }
}
