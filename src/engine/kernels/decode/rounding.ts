/** The kernels that round the rows of a map's input for its products, before the map. */
import { codeVectors, quantizeKernel } from './integerProduct.ts';
import { halfWords, halvesKernel } from './halfProduct.ts';
import type { RoundedProducts, RoundingSpec } from './productKinds.ts';
import type { DecodeKernel } from './program.ts';

interface Rounding {
  readonly kernel: (spec: RoundingSpec) => DecodeKernel;
  /** The words that a rounded row of so many numbers takes. */
  readonly words: (inputs: number) => number;
  /** The number of bindings through which the map reads them. */
  readonly views: number;
}

export const ROUNDING: Readonly<Record<RoundedProducts, Rounding>> = {
  f16: { kernel: halvesKernel, words: halfWords, views: 2 },
  int8: { kernel: quantizeKernel, words: (inputs) => 4 * codeVectors(inputs), views: 1 },
};
