/**
 * The parts of GEMM kernels that read A and B and finish C. All kernels see matrices in pieces of four elements: along K in A of `nn` and
 * `nt` and in B of `nt`, along M or N elsewhere. A matrix whose rows are whole pieces is bound as vectors; any other as scalars, with
 * pieces put together from four.
 */
import { shaderHeader } from '../../backend/dispatch.ts';
import type { FrozenFormat } from '../frozenMatrix/frozenMatrix.ts';
import { matrixElement, matrixLoad } from '../frozenMatrix/wgsl.ts';
import type { GemmLayout, GemmShape } from './shape.ts';

/** The use of C's contents: they are overwritten, added at the end, or are the beginning of the sums, which the next part of a longer K continues. */
export type GemmTarget = 'overwrite' | 'add' | 'continue';

/** The properties that a kernel's code depends on besides its plan. */
export interface GemmVariant {
  readonly layout: GemmLayout;
  readonly format: FrozenFormat;
  readonly target: GemmTarget;
  readonly aVectors: boolean;
  readonly bVectors: boolean;
  readonly cVectors: boolean;
  /** True if K is no multiple of four. */
  readonly tail: boolean;
  readonly bias: boolean;
  readonly residual: boolean;
}

/** `strides` are the elements from row to row of A and C. */
export function gemmVariant(
  layout: GemmLayout,
  { n, k }: GemmShape,
  strides: { readonly aRow: number; readonly cRow: number },
  flags: Pick<GemmVariant, 'format' | 'target' | 'bias' | 'residual'>,
): GemmVariant {
  return {
    layout,
    ...flags,
    aVectors: strides.aRow % 4 === 0,
    bVectors: (layout === 'nt' ? k : n) % 4 === 0,
    cVectors: strides.cRow % 4 === 0,
    tail: k % 4 !== 0,
  };
}

export function variantKey({ layout, format, target, ...flags }: GemmVariant): string {
  const bits = Object.values(flags).map((flag) => (flag ? 1 : 0));
  return `${layout}-${format}-${target}-${bits.join('')}`;
}

/** The uniforms. `aRow` and `cRow` are the elements from row to row of A and C, which may be parts of wider matrices. */
export const UNIFORMS = ['m', 'n', 'k', 'groupsPerRow', 'aRow', 'cRow'] as const;

/** Bindings, and the functions that read operands, start sums and finish results. */
export function operandCode(variant: GemmVariant): string {
  const { layout, format, aVectors, bVectors, cVectors, bias, residual, target } = variant;
  const c = cVectors ? 'vec4f' : 'f32';
  const header = shaderHeader({
    reads: [
      `a: ${aVectors ? 'vec4f' : 'f32'}`,
      `b: ${bVectors ? matrixElement(format) : 'f32'}`,
      ...(bias ? [`bias: ${c}`] : []),
      ...(residual ? [`residual: ${c}`] : []),
    ],
    writes: [`c: ${c}`],
    uniforms: UNIFORMS.map((name) => `${name}: u32`),
  });
  return `${header}
const aUnit = ${aVectors ? 1 : 4}u;
const bUnit = ${bVectors ? 1 : 4}u;
fn aStride() -> u32 { return params.aRow / (4u / aUnit); }
fn bStride() -> u32 { return ${layout === 'nt' ? 'params.k' : 'params.n'} / (4u / bUnit); }
${aVectors ? 'fn loadA(at: u32) -> vec4f { return a[at]; }' : piecesFromScalars('A', 'a[at]')}
${bVectors ? matrixLoad('loadB', 'b', format) : piecesFromScalars('B', 'b[at]')}
${cVectors ? vectorFinish(bias, residual, target) : scalarFinish(bias, residual, target)}
${target === 'continue' ? (cVectors ? VECTOR_START : SCALAR_START) : 'fn startOf(row: u32, piece: u32) -> vec4f { return vec4f(); }'}
`;
}

function piecesFromScalars(name: 'A' | 'B', element: string): string {
  return /* wgsl */ `
fn element${name}(at: u32) -> f32 { return ${element}; }
fn load${name}(at: u32) -> vec4f {
  return vec4f(element${name}(at), element${name}(at + 1u), element${name}(at + 2u), element${name}(at + 3u));
}`;
}

/** WGSL of `finish`, which adds bias, residual and C's contents, in this order, and stores a piece of a row. */
function vectorFinish(bias: boolean, residual: boolean, target: GemmTarget): string {
  return /* wgsl */ `
fn finish(row: u32, piece: u32, product: vec4f) {
  if (row >= params.m || piece >= params.n / 4u) { return; }
  let at = row * (params.cRow / 4u) + piece;
  var value = product;
  ${bias ? 'value += bias[piece];' : ''}
  ${residual ? 'value += residual[at];' : ''}
  ${target === 'add' ? 'value += c[at];' : ''}
  c[at] = value;
}`;
}

function scalarFinish(bias: boolean, residual: boolean, target: GemmTarget): string {
  return /* wgsl */ `
fn finishOne(row: u32, column: u32, product: f32) {
  if (row >= params.m || column >= params.n) { return; }
  let at = row * params.cRow + column;
  var value = product;
  ${bias ? 'value += bias[column];' : ''}
  ${residual ? 'value += residual[at];' : ''}
  ${target === 'add' ? 'value += c[at];' : ''}
  c[at] = value;
}
fn finish(row: u32, piece: u32, product: vec4f) {
  finishOne(row, piece * 4u, product.x);
  finishOne(row, piece * 4u + 1u, product.y);
  finishOne(row, piece * 4u + 2u, product.z);
  finishOne(row, piece * 4u + 3u, product.w);
}`;
}

/** WGSL of `startOf`, the value with which the sums of a piece of C begin. */
const VECTOR_START = /* wgsl */ `
fn startOf(row: u32, piece: u32) -> vec4f {
  if (row >= params.m || piece >= params.n / 4u) { return vec4f(); }
  return c[row * (params.cRow / 4u) + piece];
}`;

const SCALAR_START = /* wgsl */ `
fn startOne(row: u32, column: u32) -> f32 {
  if (row >= params.m || column >= params.n) { return 0.0; }
  return c[row * params.cRow + column];
}
fn startOf(row: u32, piece: u32) -> vec4f {
  let column = piece * 4u;
  return vec4f(startOne(row, column), startOne(row, column + 1u), startOne(row, column + 2u), startOne(row, column + 3u));
}`;
