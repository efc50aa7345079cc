/**
 * How the GEMM kernels read A and B and finish C. All kernels see matrices in pieces of four elements: along K in A of `nn`
 * and `nt` and in B of `nt`, along M or N elsewhere. A matrix whose rows are whole pieces is bound as vectors; any other as
 * scalars, with pieces put together from four.
 */
import { shaderHeader } from '../../backend/dispatch.ts';
import type { GemmLayout, GemmShape } from './shape.ts';

/** What a kernel's code depends on besides its plan. */
export interface GemmVariant {
  readonly layout: GemmLayout;
  /** B holds f16 pairs, the lower half of a word first. */
  readonly half: boolean;
  readonly aVectors: boolean;
  readonly bVectors: boolean;
  readonly cVectors: boolean;
  /** K is no multiple of four. */
  readonly tail: boolean;
  readonly bias: boolean;
  readonly residual: boolean;
  /** C is added to. */
  readonly into: boolean;
}

export function gemmVariant(
  layout: GemmLayout,
  { m, n, k }: GemmShape,
  flags: Pick<GemmVariant, 'half' | 'bias' | 'residual' | 'into'>,
): GemmVariant {
  return {
    layout,
    ...flags,
    aVectors: (layout === 'tn' ? m : k) % 4 === 0,
    bVectors: (layout === 'nt' ? k : n) % 4 === 0,
    cVectors: n % 4 === 0,
    tail: k % 4 !== 0,
  };
}

export function variantKey(variant: GemmVariant): string {
  const { layout, ...flags } = variant;
  return `${layout}-${Object.values(flags)
    .map((flag) => (flag ? 1 : 0))
    .join('')}`;
}

/** `start` is where B begins in its binding, in elements. */
export const UNIFORMS = ['m', 'n', 'k', 'groupsPerRow', 'start'] as const;

/** Bindings, and the functions that read operands and finish results. */
export function operandCode(variant: GemmVariant): string {
  const { layout, half, aVectors, bVectors, cVectors, bias, residual, into } = variant;
  const c = cVectors ? 'vec4f' : 'f32';
  const bWords = bVectors ? 'vec2u' : 'u32';
  const header = shaderHeader({
    reads: [
      `a: ${aVectors ? 'vec4f' : 'f32'}`,
      `b: ${half ? bWords : bVectors ? 'vec4f' : 'f32'}`,
      ...(bias ? [`bias: ${c}`] : []),
      ...(residual ? [`residual: ${c}`] : []),
    ],
    writes: [`c: ${c}`],
    uniforms: UNIFORMS.map((name) => `${name}: u32`),
  });
  return `${header}
const aUnit = ${aVectors ? 1 : 4}u;
const bUnit = ${bVectors ? 1 : 4}u;
fn aStride() -> u32 { return ${layout === 'tn' ? 'params.m' : 'params.k'} / (4u / aUnit); }
fn bStride() -> u32 { return ${layout === 'nt' ? 'params.k' : 'params.n'} / (4u / bUnit); }
${aVectors ? 'fn loadA(at: u32) -> vec4f { return a[at]; }' : piecesFromScalars('A', 'a[at]')}
${half ? halfLoads(bVectors) : bVectors ? 'fn loadB(at: u32) -> vec4f { return b[at]; }' : piecesFromScalars('B', 'b[at]')}
${cVectors ? vectorFinish(bias, residual, into) : scalarFinish(bias, residual, into)}
`;
}

function piecesFromScalars(name: 'A' | 'B', element: string): string {
  return /* wgsl */ `
fn element${name}(at: u32) -> f32 { return ${element}; }
fn load${name}(at: u32) -> vec4f {
  return vec4f(element${name}(at), element${name}(at + 1u), element${name}(at + 2u), element${name}(at + 3u));
}`;
}

function halfLoads(vectors: boolean): string {
  if (!vectors) {
    return /* wgsl */ `
fn halfAt(index: u32) -> f32 {
  let pair = unpack2x16float(b[index / 2u]);
  return select(pair.x, pair.y, index % 2u == 1u);
}
${piecesFromScalars('B', 'halfAt(params.start + at)')}`;
  }
  return /* wgsl */ `
fn loadB(at: u32) -> vec4f {
  let words = b[params.start / 4u + at];
  return vec4f(unpack2x16float(words.x), unpack2x16float(words.y));
}`;
}

/** `finish` adds bias, residual and what C holds, in this order, and stores a piece of a row. */
function vectorFinish(bias: boolean, residual: boolean, into: boolean): string {
  return /* wgsl */ `
fn finish(row: u32, piece: u32, product: vec4f) {
  if (row >= params.m || piece >= params.n / 4u) { return; }
  let at = row * (params.n / 4u) + piece;
  var value = product;
  ${bias ? 'value += bias[piece];' : ''}
  ${residual ? 'value += residual[at];' : ''}
  ${into ? 'value += c[at];' : ''}
  c[at] = value;
}`;
}

function scalarFinish(bias: boolean, residual: boolean, into: boolean): string {
  return /* wgsl */ `
fn finishOne(row: u32, column: u32, product: f32) {
  if (row >= params.m || column >= params.n) { return; }
  let at = row * params.n + column;
  var value = product;
  ${bias ? 'value += bias[column];' : ''}
  ${residual ? 'value += residual[at];' : ''}
  ${into ? 'value += c[at];' : ''}
  c[at] = value;
}
fn finish(row: u32, piece: u32, product: vec4f) {
  finishOne(row, piece * 4u, product.x);
  finishOne(row, piece * 4u + 1u, product.y);
  finishOne(row, piece * 4u + 2u, product.z);
  finishOne(row, piece * 4u + 3u, product.w);
}`;
}
