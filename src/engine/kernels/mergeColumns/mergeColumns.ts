/**
 * Low-rank adaptation merged into a matrix (Hu et al. 2021, §4.1): W' = W + (α / r)·A·B for some of its columns. The product is summed
 * separately, in f32 and over ascending inner indices, then scaled, then added to the base, then rounded if that is asked for.
 */
import { input, registerOp, runInPlace } from '../../backend/kernelRegistry.ts';
import type { Tensor } from '../../backend/tf.ts';
import { offsetOf, tensorOf, type Operand, type Slice } from '../shared/slice.ts';
import {
  mergeColumnsGrid,
  mergeColumnsKey,
  mergeColumnsShader,
  mergeColumnsVariant,
  type MergeColumnsShape,
  type MergedForm,
} from './shader.ts';

interface MergeColumnsAttributes extends MergeColumnsShape {
  readonly form: Exclude<MergedForm, 'halves'>;
  /** The first elements in their tensors. */
  readonly mergedOffset: number;
  readonly leftOffset: number;
  readonly rightOffset: number;
}

export interface ColumnProduct {
  /** The left matrix [r, rows of the whole matrix]. */
  readonly left: Operand;
  /** The right matrix [r, columns]. */
  readonly right: Operand;
  /** The first column that the product is added to. */
  readonly column: number;
  readonly scale: number;
  /** Rounds the result to numbers that a half can hold. */
  readonly rounded?: boolean;
}

/**
 * merged[i, column + j] = base[i, column + j] + scale · Σ_k left[k, i] · right[k, j] for some rows of `merged` [rows, width]; other rows
 * and columns do not change. `base` holds these rows, whole: [some rows, width], the first of them row `firstRow` of `merged`. @throws
 * Error if shapes do not fit.
 */
export function mergeColumns(
  merged: Slice,
  base: Tensor,
  firstRow: number,
  { left, right, column, scale, rounded = false }: ColumnProduct,
): void {
  const [allRows = 0, width = 0] = merged.shape;
  const [rows = 0, baseWidth = 0] = base.shape;
  const [inner = 0, leftRows = 0] = left.shape;
  const [rightInner = 0, columns = 0] = right.shape;
  const fits = baseWidth === width && leftRows === allRows && rightInner === inner;
  if (!fits || firstRow + rows > allRows || column + columns > width) {
    throw new Error(
      `mergeColumns: [${left.shape.join(', ')}]ᵀ · [${right.shape.join(', ')}] from column ${column} on and base rows ` +
        `[${base.shape.join(', ')}] from row ${firstRow} on do not fit a matrix [${merged.shape.join(', ')}].`,
    );
  }
  runInPlace(
    'RlMergeColumns',
    { merged: merged.tensor, base, left: tensorOf(left), right: tensorOf(right) },
    {
      allRows,
      rows,
      firstRow,
      width,
      column,
      columns,
      inner,
      scale,
      form: rounded ? 'rounded' : 'f32',
      mergedOffset: merged.offset,
      leftOffset: offsetOf(left),
      rightOffset: offsetOf(right),
    },
  );
}

/** The fewest multiplications that are worth waking a thread for. */
const WORK_PER_PART = 125_000;

registerOp<MergeColumnsAttributes>({
  name: 'RlMergeColumns',
  wasm(memory, inputs, attributes) {
    const { allRows, rows, firstRow, width, column, columns, inner, scale } = attributes;
    const { form, mergedOffset, leftOffset, rightOffset } = attributes;
    memory.parallel(
      'mergeColumns',
      rows,
      Math.ceil(WORK_PER_PART / Math.max(1, columns * inner)),
      memory.pointer(input(inputs, 'base')),
      memory.pointer(input(inputs, 'merged'), mergedOffset + firstRow * width),
      width,
      column,
      memory.pointer(input(inputs, 'left'), leftOffset + firstRow),
      allRows,
      memory.pointer(input(inputs, 'right'), rightOffset),
      inner,
      columns,
      scale,
      form === 'rounded' ? 1 : 0,
    );
    return [];
  },
  webgpu(gpu, inputs, attributes) {
    const { allRows, rows, width, columns, inner, form } = attributes;
    const { mergedOffset, leftOffset, rightOffset } = attributes;
    const variant = mergeColumnsVariant(attributes, form);
    gpu.dispatch({
      key: mergeColumnsKey(variant),
      code: () => mergeColumnsShader(variant),
      reads: [
        input(inputs, 'base'),
        { tensor: input(inputs, 'left'), offset: leftOffset, length: inner * allRows },
        { tensor: input(inputs, 'right'), offset: rightOffset, length: inner * columns },
      ],
      writes: [{ tensor: input(inputs, 'merged'), offset: mergedOffset, length: allRows * width }],
      ...mergeColumnsGrid(attributes, variant),
      work: rows * columns * inner,
    });
    return [];
  },
});
