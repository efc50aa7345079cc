/** A linear map of a block, and the buffers it takes. */
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
