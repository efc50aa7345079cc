/** AdamW over the whole pool of parameters with clipping of the global gradient norm; moments in f32 on the device. */
import { adamwStep, squaredNorm } from '../kernels/index.ts';
import { decayedLength } from '../model/parameters.ts';
import { packArrays } from '../model/poolLayout.ts';
import { Gradients, ParameterPool, type ModelWeights } from '../model/weights.ts';

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
  /** By Hugging Face name, in Hugging Face's layout. */
  readonly moments: ReadonlyMap<string, { readonly m: Float32Array; readonly v: Float32Array }>;
}

export class Optimizer {
  readonly #weights: ModelWeights;
  readonly #settings: OptimizerSettings;
  readonly #m: ParameterPool;
  readonly #v: ParameterPool;
  #gradients: Gradients;
  #step: number;

  constructor(weights: ModelWeights, settings: OptimizerSettings, state: OptimizerState | null = null) {
    const { config } = weights;
    this.#weights = weights;
    this.#settings = settings;
    const pool = (moment: 'm' | 'v'): ParameterPool => {
      const arrays = new Map(
        [...(state?.moments ?? [])].map(([name, both]) => [name, { data: both[moment] }]),
      );
      return new ParameterPool(config, state && packArrays(config, arrays));
    };
    this.#m = pool('m');
    this.#v = pool('v');
    this.#gradients = new Gradients(config);
    this.#step = state?.step ?? 0;
  }

  /** Where backward passes add up; zero after every update. */
  get gradients(): Gradients {
    return this.#gradients;
  }

  /** Forgets what a broken step has added up. */
  clearGradients(): void {
    this.#gradients.dispose();
    this.#gradients = new Gradients(this.#weights.config);
  }

  /**
   * Applies one update with the gradients at hand and returns the global gradient norm before clipping. Throws, leaving
   * weights and moments as they are, when the norm is not finite.
   */
  async update(learningRate: number): Promise<{ gradNorm: number }> {
    const { beta1, beta2, epsilon, weightDecay, clipNorm } = this.#settings;
    const step = this.#step + 1;
    const norm = squaredNorm(this.#gradients.tensor);
    adamwStep(
      {
        parameters: this.#weights.tensor,
        gradients: this.#gradients.tensor,
        m: this.#m.tensor,
        v: this.#v.tensor,
        squaredNorm: norm,
      },
      {
        learningRate,
        beta1,
        beta2,
        epsilon,
        weightDecay,
        decayedLength: decayedLength(this.#weights.config),
        clipNorm,
        correction1: 1 - beta1 ** step,
        correction2: 1 - beta2 ** step,
      },
    );
    const [square = NaN] = await norm.data<'float32'>();
    norm.dispose();
    const gradNorm = Math.sqrt(square);
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
    const [m, v] = [await this.#m.toHuggingFace(), await this.#v.toHuggingFace()];
    const moments = new Map(
      [...m].map(([name, { data }]) => [name, { m: data, v: v.get(name)?.data ?? new Float32Array() }]),
    );
    return { step: this.#step, moments };
  }

  dispose(): void {
    for (const pool of [this.#m, this.#v, this.#gradients]) pool.dispose();
  }
}
