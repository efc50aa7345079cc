/** A linear map of a block, the buffers it takes, and the WGSL that its plans share. */
import { lines, VECTOR_PARTS } from '../vectors.ts';
import type { Declaration } from './program.ts';
import { LIST } from './rows.ts';

export interface LinearSpec {
  readonly label: string;
  readonly inputs: number;
  /** Columns of the matrix; for `swiglu` the gate's and the up's together. */
  readonly outputs: number;
  /** `nn`: the matrix is [inputs, outputs]; `nt`: [outputs, inputs]. */
  readonly layout: 'nn' | 'nt';
  /** The matrix is of f16 pairs packed in u32. */
  readonly half: boolean;
  /** Epsilon of the RMSNorm before it, or null for none. */
  readonly normEpsilon: number | null;
  readonly bias: boolean;
  /** `residual` adds to what the output holds; `swiglu` writes silu(gate) ⊙ up. */
  readonly epilogue: 'store' | 'residual' | 'swiglu';
}

/** Columns of the output's rows: those of `nt` are rounded up to whole vectors. */
export function outputWidth({ outputs, epilogue }: LinearSpec): number {
  return epilogue === 'swiglu' ? outputs / 2 : Math.ceil(outputs / 4) * 4;
}

/** Bindings: list, x, matrix, y, then gamma with a norm, then bias with one. */
export function linearDeclarations({ half, normEpsilon, bias }: LinearSpec): Declaration[] {
  return [
    LIST,
    ['x', 'array<vec4f>', 'read'],
    ['matrix', half ? 'array<vec2u>' : 'array<vec4f>', 'read'],
    ['y', 'array<vec4f>', 'write'],
    ...(normEpsilon === null ? [] : [['gamma', 'array<vec4f>', 'read'] as const]),
    ...(bias ? [['bias', 'array<vec4f>', 'read'] as const] : []),
  ];
}

/** Vectors of columns that one invocation computes: gate and up belong together. */
export const columnVectors = ({ epilogue }: LinearSpec): number => (epilogue === 'swiglu' ? 2 : 1);

/** Vectors of the output's columns. */
export const columnCount = ({ outputs, epilogue }: LinearSpec): number =>
  epilogue === 'swiglu' ? outputs / 8 : Math.ceil(outputs / 4);

/** `fetch(at)`: a vector of the matrix; and the activation of SwiGLU. */
export function linearFunctions({ half, epilogue }: LinearSpec): string {
  const fetch = half
    ? 'let pair = matrix[at]; return vec4f(unpack2x16float(pair.x), unpack2x16float(pair.y));'
    : 'return matrix[at];';
  const silu = 'fn silu(gate: vec4f) -> vec4f { return gate / (vec4f(1.0) + exp(-gate)); }';
  return `fn fetch(at: u32) -> vec4f { ${fetch} }\n${epilogue === 'swiglu' ? silu : ''}\n`;
}

/**
 * Declares the four vectors `b{j}_0 … b{j}_3` of step `kk`: of the j-th vector of columns, those at k = 4·kk … 4·kk + 3.
 * `column` is the invocation's vector of columns.
 */
export function fetchStep(spec: LinearSpec, kk: string): string {
  const { layout, outputs, inputs } = spec;
  return lines(columnVectors(spec), (j) => {
    const column = j === 0 ? 'column' : `(column + ${columnCount(spec)}u)`;
    if (layout === 'nn') {
      return lines(4, (i) => `let b${j}_${i} = fetch((${kk} * 4u + ${i}u) * ${outputs / 4}u + ${column});`);
    }
    return `
    ${lines(4, (c) => `let t${j}_${c} = fetch(min(${column} * 4u + ${c}u, ${outputs - 1}u) * ${inputs / 4}u + ${kk});`)}
    ${lines(4, (i) => `let b${j}_${i} = vec4f(${[0, 1, 2, 3].map((c) => `t${j}_${c}.${VECTOR_PARTS[i]}`).join(', ')});`)}`;
  });
}

/** `sum` + Σ over the step's four k, as one expression: a store to a variable costs a software adapter dearly. */
export function multiplyStep(sum: string, a: string, j: number): string {
  return [0, 1, 2, 3].reduce((inner, i) => `fma(vec4f(${a}.${VECTOR_PARTS[i]}), b${j}_${i}, ${inner})`, sum);
}

/** Statement that finishes row `at` (its index, unsigned) given its sums and the norm's scale, if any. */
export function epilogueStatement(
  spec: LinearSpec,
  row: string,
  sum: (j: number) => string,
  scale: string | null,
): string {
  const { bias, epilogue } = spec;
  const count = columnCount(spec);
  const value = (j: number): string => {
    const scaled = scale === null ? sum(j) : `${sum(j)} * ${scale}`;
    return bias ? `(${scaled} + bias[column${j === 0 ? '' : ` + ${count}u`}])` : `(${scaled})`;
  };
  const target = `y[(${row}) * ${count}u + column]`;
  if (epilogue === 'swiglu') return `${target} = silu(${value(0)}) * ${value(1)};`;
  return epilogue === 'residual' ? `${target} += ${value(0)};` : `${target} = ${value(0)};`;
}
