/** The WGSL of `mergeColumns`, for the op and for generators, which hold their weights in buffers of their own. */
import { f32, foldedGrid, shaderHeader, u32, type UniformWord } from '../../backend/dispatch.ts';
import type { MergeColumnsShape } from './attributes.ts';

export interface MergeColumnsVariant {
  /** Elements are read and written four at a time: `width`, `column` and `columns` are multiples of 4. */
  readonly vectors: boolean;
  /** The result is f16 pairs in u32, the lower half of a word first; only with `vectors`. */
  readonly half: boolean;
}

export const mergeColumnsKey = ({ vectors, half }: MergeColumnsVariant): string =>
  `merge-columns${vectors ? '-vectors' : ''}${half ? '-half' : ''}`;

/** Whether four elements at a time come out even. */
export const inVectors = ({ width, column, columns }: MergeColumnsShape): boolean =>
  [width, column, columns].every((extent) => extent % 4 === 0);

/** Rows that share what an invocation reads of `right`. */
const ROWS = 4;
const GROUP = 64;
const FIELDS = ['rows', 'firstRow', 'width', 'column', 'columns', 'inner', 'groupsPerRow'] as const;

/**
 * Nearest half, ties to even, beyond 65504 (rounded) infinity: what the host's conversion gives, bit for bit. WGSL's own
 * `pack2x16float` may round either way.
 */
const HALF_BITS = /* wgsl */ `
fn halfBits(value: f32) -> u32 {
  let word = bitcast<u32>(value);
  let sign = (word >> 16u) & 0x8000u;
  let magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) { return sign | 0x7e00u; }
  if (magnitude >= 0x477ff000u) { return sign | 0x7c00u; }
  if (magnitude >= 0x38800000u) {
    return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13u) & 1u)) >> 13u);
  }
  let shift = 126u - (magnitude >> 23u);
  if (shift > 25u) { return sign; }
  let digits = (magnitude & 0x7fffffu) | 0x800000u;
  return sign | ((digits + (1u << (shift - 1u)) - 1u + ((digits >> shift) & 1u)) >> shift);
}
fn encode(v: vec4f) -> vec2u {
  return vec2u(halfBits(v.x) | (halfBits(v.y) << 16u), halfBits(v.z) | (halfBits(v.w) << 16u));
}
`;

const rowLines = (line: (i: number) => string): string =>
  Array.from({ length: ROWS }, (_, i) => line(i)).join('\n');

/** Entry point `main`. Bindings: base, left, right, then merged, then the words of `mergeColumnsUniforms`. */
export function mergeColumnsShader({ vectors, half }: MergeColumnsVariant): string {
  const element = vectors ? 'vec4f' : 'f32';
  const header = shaderHeader({
    reads: [`base: ${element}`, 'left: f32', `right: ${element}`],
    writes: [`merged: ${half ? 'vec2u' : element}`],
    uniforms: [...FIELDS.map((name) => `${name}: u32`), 'scale: f32'],
  });
  return /* wgsl */ `${header}${half ? HALF_BITS : ''}
@compute @workgroup_size(${GROUP})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let item = (group.y * params.groupsPerRow + group.x) * ${GROUP}u + index;
  let row = item / params.columns * ${ROWS}u;
  if (row >= params.rows) { return; }
  let j = item % params.columns;
  let last = params.rows - 1u;
  ${rowLines((i) => `let left${i} = (params.firstRow + min(row + ${i}u, last)) * params.inner; var sum${i} = ${element}();`)}
  for (var k = 0u; k < params.inner; k++) {
    let r = right[k * params.columns + j];
    ${rowLines((i) => `sum${i} += left[left${i} + k] * r;`)}
  }
  ${rowLines(
    (i) => /* wgsl */ `if (row + ${i}u < params.rows) {
    let at = (row + ${i}u) * params.width + params.column + j;
    let value = base[at] + params.scale * sum${i};
    merged[params.firstRow * params.width + at] = ${half ? 'encode(value)' : 'value'};
  }`,
  )}
}
`;
}

/** The grid of a dispatch and its uniform words. */
export function mergeColumnsGrid(
  { rows, firstRow, width, column, columns, inner, scale }: MergeColumnsShape,
  { vectors }: MergeColumnsVariant,
): { workgroups: [number, number]; uniforms: UniformWord[] } {
  const unit = vectors ? 4 : 1;
  const { workgroups, groupsPerRow } = foldedGrid((columns / unit) * Math.ceil(rows / ROWS), GROUP);
  const fields = {
    ...{ rows, firstRow, inner, groupsPerRow },
    ...{ width: width / unit, column: column / unit, columns: columns / unit },
  };
  return { workgroups, uniforms: [...FIELDS.map((name) => u32(fields[name])), f32(scale)] };
}
