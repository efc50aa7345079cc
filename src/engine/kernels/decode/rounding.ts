/** The kernels that round the rows of a map's input for its products, before the map. */
import { HALVES, halfWords, halvesKernel } from './halfProduct.ts';
import { CODES, codeVectors, quantizeKernel } from './integerProduct.ts';
import type { RoundedProducts, RoundingSpec } from './productKinds.ts';
import type { DecodeKernel, Declaration } from './program.ts';

interface Rounding {
  readonly kernel: (spec: RoundingSpec) => DecodeKernel;
  /** The words that a rounded row of so many numbers takes. */
  readonly words: (inputs: number) => number;
  /** The bindings through which the map reads the rounded rows, all of them the same buffer. */
  readonly views: readonly Declaration[];
}

export const ROUNDING: Readonly<Record<RoundedProducts, Rounding>> = {
  f16: { kernel: halvesKernel, words: halfWords, views: HALVES },
  int8: { kernel: quantizeKernel, words: (inputs) => 4 * codeVectors(inputs), views: [CODES] },
};
