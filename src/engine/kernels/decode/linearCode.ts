/**
 * The parts from which the plans of decoding make a kernel: sums over K of the rows of `x` times matrices, in vectors of four columns,
 * and a statement that finishes a row. An output sums over K in an order that depends on the shape and the plan alone, never on the rows.
 */
import { VECTOR_PARTS } from '../shared/vectors.ts';
import type { Declaration } from './program.ts';

/** The way in which a sum reads a row of its left side and multiplies it. */
export interface SumKind {
  /** WGSL expression: what step `kk` takes of the row that begins at `at`. */
  readonly load: (at: string) => string;
  /** `sum` + the products of a step, as one expression: a store to a variable costs a software adapter dearly. */
  readonly multiply: (sum: string, a: string, j: number) => string;
}

/** Four k of `x` in a step, as a vector, and fused multiply-adds in f32. */
export const VECTORS: SumKind = {
  load: (at) => `x[${at} + kk]`,
  multiply: (sum, a, j) =>
    [0, 1, 2, 3].reduce((inner, i) => `fma(vec4f(${a}.${VECTOR_PARTS[i]}), b${j}_${i}, ${inner})`, sum),
};

/** A sum over K for each row and some vectors of columns: the row of `x` times a matrix. */
export interface Sum {
  readonly kind: SumKind;
  /** The vectors of columns of an invocation to which it is added. */
  readonly targets: readonly number[];
  /** WGSL before the loop. `column` is the invocation's vector of columns. */
  readonly declare: string;
  /** WGSL: its number of steps. */
  readonly steps: string;
  /** WGSL: the place with which a row begins. */
  readonly rowAt: (row: string) => string;
  /** WGSL of a row's factor on the sum, which is multiplied before the next sum is added; null for none. */
  readonly factor: ((row: string) => string) | null;
  /** True if `x` is multiplied by `gamma` of an RMSNorm. */
  readonly normed: boolean;
  /** True if four neighbours on the grid read the same numbers of `x`. */
  readonly shared: boolean;
  /**
   * Declares the operands of step `kk` for each target j. Those of vectors are `b{j}_0 … b{j}_3`: columns of the matrix at k = 4·kk … 4·kk +
   * 3.
   */
  readonly fetch: (kk: string) => string;
}

/** Statements that multiply the sums of a row, `{name}_{j}`, by its factor. */
export const scaledSum = ({ factor, targets }: Sum, name: string, row: string): string =>
  factor === null ? '' : targets.map((j) => `${name}_${j} *= ${factor(row)};`).join(' ');

export interface LinearCode {
  readonly label: string;
  /** WGSL before all declarations. */
  readonly directives: string;
  readonly declarations: readonly Declaration[];
  readonly functions: string;
  readonly inputs: number;
  /** The number of vectors of columns of an invocation: gate and up belong together. */
  readonly vectors: number;
  /** The number of vectors of columns on the grid, from `firstColumn` on. */
  readonly columns: number;
  readonly firstColumn: number;
  /** WGSL of the factor of step `kk` of an input that is normed: γ, or γ + 1. */
  readonly gamma: string;
  /** The sums, which are added one after the other. */
  readonly sums: readonly Sum[];
  /** The epsilon of the RMSNorm of the first sum's `x`, whose scale multiplies all sums; null for none. */
  readonly scaleEpsilon: number | null;
  /** WGSL of a row's scale, where a kernel before has computed it; null elsewhere. */
  readonly rowScale: ((row: string) => string) | null;
  /** Statement that finishes row `row` (its index, unsigned), given its sums, scaled. */
  readonly finish: (row: string, sum: (j: number) => string) => string;
  /** The number of multiplications for each row. */
  readonly rowWork: number;
}

/** WGSL of `act` of a gated unit: silu, or gelu as z · σ(k(z)), whose cubic k is bounded so that no exponential is infinite. */
export const GATE_CODE = {
  swiglu: 'fn act(z: vec4f) -> vec4f { return z / (vec4f(1.0) + exp(-z)); }',
  geglu: /* wgsl */ `fn act(z: vec4f) -> vec4f {
  let k = clamp(z * ${2 * Math.sqrt(2 / Math.PI)} * (1.0 + 0.044715 * z * z), vec4f(-80.0), vec4f(80.0));
  return z / (vec4f(1.0) + exp(-k));
}`,
} as const;
