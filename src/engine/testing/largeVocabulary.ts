/**
 * Weights that are too many for JavaScript to hold: random numbers that repeat, from another place in each tensor, and are computed when
 * they are read.
 */
import { fromBfloat16, toBfloat16 } from '../kernels/shared/halfFloats.ts';
import type { RandomInputs } from '../kernels/testing/random.ts';
import type { ModelConfig } from '../model/config.ts';
import { huggingFaceSpecs } from '../model/parameters.ts';
import { calculatedTensor, type StoredWeights } from '../model/storedWeights.ts';

/** The number of random numbers. It is prime, so that no row of a matrix equals another. */
const DRAWN = 1_000_003;
/** The standard deviation of matrices with which published models begin. */
const SIGMA = 0.02;

export interface RepeatingWeights {
  /** The weights in bf16; norms are around 1. */
  readonly stored: StoredWeights;
  /** The numbers of a matrix or bias, by its name, in f64: `values[(first + i) % values.length]` is number i. */
  numbersOf(name: string): { readonly values: Float64Array; readonly first: number };
}

export function repeatingWeights(config: ModelConfig, random: RandomInputs): RepeatingWeights {
  const values = Float64Array.from(fromBfloat16(toBfloat16(random.floats(DRAWN, SIGMA))));
  const specs = huggingFaceSpecs(config);
  const firstOf = new Map(specs.map(({ name }, i) => [name, 7919 * i] as const));
  const stored = specs.map(({ name, shape }) => {
    const mean = shape.length > 1 || name.endsWith('.bias') ? 0 : 1;
    const first = firstOf.get(name) ?? NaN;
    const numbers = (begin: number, end: number): Promise<Float32Array> =>
      Promise.resolve(
        Float32Array.from(
          { length: end - begin },
          (_, i) => mean + (values[(first + begin + i) % DRAWN] ?? NaN),
        ),
      );
    return [name, calculatedTensor(shape, 'BF16', numbers)] as const;
  });
  return {
    stored: new Map(stored),
    numbersOf: (name) => ({ values, first: firstOf.get(name) ?? NaN }),
  };
}
