export interface ColumnSumsAttributes {
  readonly targetOffset: number;
}
