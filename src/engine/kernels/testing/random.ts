/** Fresh random inputs for each run of the tests; the seed is in every failure message, and `withSeed` repeats a run. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface RandomInputs {
  readonly seed: number;
  /** Normally distributed. */
  floats(size: number, deviation?: number): Float32Array;
  /** Uniform in 0 … below − 1. */
  ints(size: number, below: number): Int32Array;
}

export function withSeed(seed: number): RandomInputs {
  const generator = xoroshiro128plus(seed);
  const uniform = () => uniformFloat64(generator);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    seed,
    floats: (size, deviation = 1) => Float32Array.from({ length: size }, () => normal() * deviation),
    ints: (size, below) => Int32Array.from({ length: size }, () => Math.floor(uniform() * below)),
  };
}

export function freshInputs(): RandomInputs {
  return withSeed(Math.floor(Math.random() * 2 ** 31));
}
