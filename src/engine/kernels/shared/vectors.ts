/** Unrolled vector code for rows of a known width: SwiftShader runs it several times faster than indexed private arrays. */

/** The numbers 0 … count − 1. */
export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** One line of code for each of 0 … count − 1. */
export const lines = (count: number, line: (i: number) => string): string =>
  range(count).map(line).join('\n');

export const VECTOR_PARTS = ['x', 'y', 'z', 'w'] as const;

/** A quad's values as lane 0 … 3 sees them: its own, then those of the lanes whose number differs by 1, 2 and 3. */
export const QUAD_SWAPS = ['', 'quadSwapX', 'quadSwapY', 'quadSwapDiagonal'] as const;

/** WGSL of a norm's γ + `shift`, and the part of a kernel's key that tells shifts apart. */
export const shifted = (gamma: string, shift: number): string =>
  shift === 0 ? gamma : `(${gamma} + ${shift.toFixed(1)})`;
export const shiftKey = (shift: number): string => (shift === 0 ? '' : `-plus-${shift}`);

export interface Piece {
  /** WGSL type of one piece: the widest of vec4f, vec2f and f32 that divides the row. */
  readonly type: 'vec4f' | 'vec2f' | 'f32';
  /** The number of elements in it. */
  readonly size: number;
}

export function widestPiece(width: number): Piece {
  if (width % 4 === 0) return { type: 'vec4f', size: 4 };
  return width % 2 === 0 ? { type: 'vec2f', size: 2 } : { type: 'f32', size: 1 };
}

/** WGSL functions of a piece: `total` and `largest` of its elements, a single `element`, and `numbers`, the indices of its elements in the array. */
export function pieceFunctions({ type, size }: Piece): string {
  const parts = ['v.x', 'v.y', 'v.z', 'v.w'].slice(0, size);
  const elements = Array.from({ length: size }, (_, i) => `${size}u * piece + ${i}u`);
  const indices = size === 1 ? 'u32' : `vec${size}u`;
  return /* wgsl */ `
fn total(v: ${type}) -> f32 { return ${size === 1 ? 'v' : parts.join(' + ')}; }
fn largest(v: ${type}) -> f32 { return ${size === 1 ? 'v' : parts.reduce((a, b) => `max(${a}, ${b})`)}; }
fn element(v: ${type}, i: u32) -> f32 { return ${size === 1 ? 'v' : 'v[i]'}; }
fn numbers(piece: u32) -> ${indices} { return ${indices}(${elements.join(', ')}); }
`;
}

export interface RowVectors extends Piece {
  /** The number of pieces in a row. */
  readonly count: number;
  /** The WGSL function `inner(a, b)` of two pieces. */
  readonly inner: string;
  /** One line of code for each piece. */
  readonly each: (line: (piece: number) => string) => string;
  /** A sum over all pieces, in ascending order. */
  readonly sum: (term: (piece: number) => string) => string;
}

export function rowVectors(width: number): RowVectors {
  const { type, size } = widestPiece(width);
  const pieces = range(width / size);
  return {
    type,
    size,
    count: pieces.length,
    inner: `fn inner(a: ${type}, b: ${type}) -> f32 { return ${size === 1 ? 'a * b' : 'dot(a, b)'}; }`,
    each: (line) => pieces.map(line).join('\n'),
    sum: (term) => pieces.map(term).join(' + '),
  };
}
