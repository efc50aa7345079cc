/** The same inputs for every participant, from counted randomness. */
import { uniformAt } from '../../rollout/sampler.ts';
import type { GemmWorkload, OpName, OpSizes, OpWorkload } from '../types.ts';

/** `count` numbers uniform in (−1, 1), decided by `seed`. */
export function randomFloats(seed: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => 2 * uniformAt(seed, 0, 0, 0, i) - 1);
}

/** `count` whole numbers in [from, to), decided by `seed`. */
export function randomIntegers(seed: number, count: number, from: number, to: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) =>
    Math.min(to - 1, from + Math.floor(uniformAt(seed, 1, 0, 0, i) * (to - from))),
  );
}

/** Values to compare of a large result: at most `most`, spread evenly over it. */
export function thinned(values: Float32Array, most = 4096): Float32Array {
  const stride = Math.max(1, Math.floor(values.length / most));
  return values.filter((_, i) => i % stride === 0);
}

interface Matrix {
  readonly shape: [number, number];
  readonly data: Float32Array;
}

/** The two factors of a product, each in the shape that its layout stores. */
export function gemmInputs({ layout, m, n, k }: GemmWorkload): { a: Matrix; b: Matrix } {
  return {
    a: { shape: layout === 'tn' ? [k, m] : [m, k], data: randomFloats(1, m * k) },
    b: { shape: layout === 'nt' ? [n, k] : [k, n], data: randomFloats(2, k * n) },
  };
}

/** Added to the mean square in RMSNorm. */
export const NORM_EPSILON = 1e-5;

/** The inputs of an op by name, all f32; `targets` holds whole numbers. */
export function opInputs({
  op,
  sizes,
}: OpWorkload): Map<string, { readonly shape: readonly number[]; readonly data: Float32Array }> {
  const { batch, length, heads, kvHeads, headDim, hidden, mlp, vocabulary, parameters } = sizes;
  const rows = batch * length;
  const qkv = [rows, (heads + 2 * kvHeads) * headDim];
  const shapes: Record<OpName, Readonly<Record<string, readonly number[]>>> = {
    attention: { qkv },
    attentionGradient: { qkv, dy: [rows, heads * headDim] },
    rmsNorm: { x: [rows, hidden], gamma: [hidden] },
    swiglu: { gateUp: [rows, 2 * mlp] },
    tokenLogprobs: { x: [rows, hidden], head: [vocabulary, hidden], targets: [rows] },
    adamw: { parameter: [parameters], gradient: [parameters], m: [parameters], v: [parameters] },
  };
  return new Map(
    Object.entries(shapes[op]).map(([name, shape], i) => {
      const count = shape.reduce((product, extent) => product * extent, 1);
      return [name, { shape, data: valuesOf(name, i, count, sizes) }];
    }),
  );
}

function valuesOf(name: string, seed: number, count: number, { vocabulary }: OpSizes): Float32Array {
  if (name === 'targets') return Float32Array.from(randomIntegers(seed, count, 0, vocabulary));
  const values = randomFloats(seed, count);
  // Adam's second moment is never negative.
  return name === 'v' && seed === 3 ? values.map(Math.abs) : values;
}
