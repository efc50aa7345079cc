/** What a dispatch is told besides its operands, all in elements. */
export interface MergeColumnsShape {
  /** Rows of the base's part, and the first of them in the whole matrix. */
  readonly rows: number;
  readonly firstRow: number;
  /** Of the matrix, and of the columns that the product is for. */
  readonly width: number;
  readonly column: number;
  readonly columns: number;
  /** Columns of `left`, rows of `right`. */
  readonly inner: number;
  readonly scale: number;
}

export interface MergeColumnsAttributes extends MergeColumnsShape {
  /** First elements in their tensors. */
  readonly mergedOffset: number;
  readonly mergedLength: number;
  readonly leftOffset: number;
  readonly leftLength: number;
  readonly rightOffset: number;
}
