/** AdamW in float64 (Loshchilov & Hutter 2019, Algorithm 2 with decoupled decay times the learning rate), and clipping by global norm. */

export interface AdamwReferenceSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly clipNorm: number;
}

interface Parameter {
  readonly theta: Float64Array;
  readonly m: Float64Array;
  readonly v: Float64Array;
  readonly decays: boolean;
}

export class AdamwReference {
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly #settings: AdamwReferenceSettings;
  #step = 0;

  constructor(
    start: Iterable<{ name: string; values: ArrayLike<number>; decays: boolean }>,
    settings: AdamwReferenceSettings,
  ) {
    this.parameters = new Map(
      [...start].map(({ name, values, decays }) => {
        const zeros = () => new Float64Array(values.length);
        return [name, { theta: Float64Array.from(values), m: zeros(), v: zeros(), decays }];
      }),
    );
    this.#settings = settings;
  }

  /** Updates the parameters and returns the global norm before clipping. */
  update(gradients: ReadonlyMap<string, ArrayLike<number>>, learningRate: number): number {
    const { beta1, beta2, epsilon, weightDecay, clipNorm } = this.#settings;
    let squares = 0;
    for (const gradient of gradients.values()) for (const g of Array.from(gradient)) squares += g * g;
    const norm = Math.sqrt(squares);
    const scale = clipNorm > 0 ? Math.min(1, clipNorm / norm) : 1;
    this.#step++;
    for (const [name, { theta, m, v, decays }] of this.parameters) {
      const gradient = gradients.get(name) ?? [];
      theta.forEach((value, i) => {
        const g = scale * (gradient[i] ?? NaN);
        const first = beta1 * (m[i] ?? NaN) + (1 - beta1) * g;
        const second = beta2 * (v[i] ?? NaN) + (1 - beta2) * g * g;
        const unbiased = first / (1 - beta1 ** this.#step);
        const root = Math.sqrt(second / (1 - beta2 ** this.#step));
        m[i] = first;
        v[i] = second;
        theta[i] =
          value -
          learningRate * (unbiased / (root + epsilon)) -
          learningRate * (decays ? weightDecay : 0) * value;
      });
    }
    return norm;
  }
}
