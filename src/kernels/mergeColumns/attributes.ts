/** What a dispatch is told besides its operands, all in elements. */
export interface MergeColumnsShape {
  /** Of the whole matrix, of the base's part, and the first of these in the whole. */
  readonly allRows: number;
  readonly rows: number;
  readonly firstRow: number;
  /** Of the matrix, and of the columns that the product is for. */
  readonly width: number;
  readonly column: number;
  readonly columns: number;
  /** Rows of `left` and `right`. */
  readonly inner: number;
  readonly scale: number;
}

/** Whether the result is rounded to what a half can hold: `rounded` stays f32, `halves` are f16 pairs in u32, for vectors only. */
export type MergedForm = 'f32' | 'rounded' | 'halves';

export interface MergeColumnsAttributes extends MergeColumnsShape {
  readonly form: Exclude<MergedForm, 'halves'>;
  /** First elements in their tensors. */
  readonly mergedOffset: number;
  readonly leftOffset: number;
  readonly rightOffset: number;
}
