/** The WGSL of `mergeColumns`, for the op and for generators, which hold their weights in buffers of their own. */
import { f32, foldedGrid, shaderHeader, u32, type UniformWord } from '../../backend/dispatch.ts';
import { HALF_CODE } from '../shared/halves.ts';
import { lines } from '../shared/vectors.ts';

/** The numbers of a dispatch besides its operands, all in elements. */
export interface MergeColumnsShape {
  /** The rows of the whole matrix, those of the base's part, and the first of these in the whole. */
  readonly allRows: number;
  readonly rows: number;
  readonly firstRow: number;
  /** The width of the matrix, and the columns that the product is added to. */
  readonly width: number;
  readonly column: number;
  readonly columns: number;
  /** The number of rows of `left` and `right`. */
  readonly inner: number;
  readonly scale: number;
}

/** The form of the result: `f32`, `rounded` to numbers that a half can hold but stored as f32, or `halves`, f16 pairs in u32, for vectors only. */
export type MergedForm = 'f32' | 'rounded' | 'halves';

export interface MergeColumnsVariant {
  /** True for four columns at a time: `width`, `column` and `columns` are multiples of 4. */
  readonly vectors: boolean;
  /** True for four elements of `left` at a time: `allRows` and `firstRow` are multiples of 4. */
  readonly leftVectors: boolean;
  readonly form: MergedForm;
}

const wholeVectors = (extents: readonly number[]): boolean => extents.every((extent) => extent % 4 === 0);

export function mergeColumnsVariant(
  { allRows, firstRow, width, column, columns }: MergeColumnsShape,
  form: MergedForm,
): MergeColumnsVariant {
  return {
    vectors: wholeVectors([width, column, columns]),
    leftVectors: wholeVectors([allRows, firstRow]),
    form,
  };
}

export const mergeColumnsKey = ({ vectors, leftVectors, form }: MergeColumnsVariant): string =>
  `merge-columns-${form}${vectors ? '-vectors' : ''}${leftVectors ? '-left' : ''}`;

/** The rows that share an invocation's reads of `right`. */
const ROWS = 8;
const GROUP = 64;
const FIELDS = [
  'allRows',
  'rows',
  'firstRow',
  'width',
  'column',
  'columns',
  'inner',
  'groupsPerRow',
] as const;

/** WGSL of the stored form of `value`. */
function stored({ vectors, form }: MergeColumnsVariant): string {
  if (form === 'f32') return 'value';
  if (form === 'rounded') {
    return vectors
      ? 'vec4f(toHalf(value.x), toHalf(value.y), toHalf(value.z), toHalf(value.w))'
      : 'toHalf(value)';
  }
  return 'packHalves(value)';
}

/** WGSL of the places of an invocation's rows in `left`, and of adding a step of the inner size. Rows beyond the last are not stored. */
function sums({ leftVectors }: MergeColumnsVariant): { places: string; step: string } {
  const first = 'params.firstRow + row';
  if (!leftVectors) {
    return {
      places: lines(ROWS, (i) => `let place${i} = min(${first} + ${i}u, params.allRows - 1u);`),
      step: lines(ROWS, (i) => `sum${i} += left[k * params.allRows + place${i}] * r;`),
    };
  }
  const quads = ROWS / 4;
  return {
    places: `let quads = params.allRows / 4u;
  ${lines(quads, (q) => `let place${q} = min((${first}) / 4u + ${q}u, quads - 1u);`)}`,
    step: `${lines(quads, (q) => `let l${q} = left[k * quads + place${q}];`)}
    ${lines(ROWS, (i) => `sum${i} += l${Math.floor(i / 4)}.${'xyzw'[i % 4]} * r;`)}`,
  };
}

/** The shader with entry point `main`. Bindings: base, left, right, then merged, then the words of `mergeColumnsGrid`. */
export function mergeColumnsShader(variant: MergeColumnsVariant): string {
  const { vectors, leftVectors, form } = variant;
  const element = vectors ? 'vec4f' : 'f32';
  const header = shaderHeader({
    reads: [`base: ${element}`, `left: ${leftVectors ? 'vec4f' : 'f32'}`, `right: ${element}`],
    writes: [`merged: ${form === 'halves' ? 'vec2u' : element}`],
    uniforms: [...FIELDS.map((name) => `${name}: u32`), 'scale: f32'],
  });
  const { places, step } = sums(variant);
  return /* wgsl */ `${header}${form === 'f32' ? '' : HALF_CODE}
@compute @workgroup_size(${GROUP})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let item = (group.y * params.groupsPerRow + group.x) * ${GROUP}u + index;
  let row = item / params.columns * ${ROWS}u;
  if (row >= params.rows) { return; }
  let j = item % params.columns;
  ${places}
  ${lines(ROWS, (i) => `var sum${i} = ${element}();`)}
  for (var k = 0u; k < params.inner; k++) {
    let r = right[k * params.columns + j];
    ${step}
  }
  ${lines(
    ROWS,
    (i) => /* wgsl */ `if (row + ${i}u < params.rows) {
    let at = (row + ${i}u) * params.width + params.column + j;
    let value = base[at] + params.scale * sum${i};
    merged[params.firstRow * params.width + at] = ${stored(variant)};
  }`,
  )}
}
`;
}

/** The grid of a dispatch and its uniform words. */
export function mergeColumnsGrid(
  { allRows, rows, firstRow, width, column, columns, inner, scale }: MergeColumnsShape,
  { vectors }: MergeColumnsVariant,
): { workgroups: [number, number]; uniforms: UniformWord[] } {
  const unit = vectors ? 4 : 1;
  const { workgroups, groupsPerRow } = foldedGrid((columns / unit) * Math.ceil(rows / ROWS), GROUP);
  const fields = {
    allRows,
    rows,
    firstRow,
    width: width / unit,
    column: column / unit,
    columns: columns / unit,
    inner,
    groupsPerRow,
  };
  return { workgroups, uniforms: [...FIELDS.map((name) => u32(fields[name])), f32(scale)] };
}
