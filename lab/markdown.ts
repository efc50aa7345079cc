/** Tables in Markdown. */
type Cells = readonly (string | number)[];

export const tableRow = (cells: Cells): string => `| ${cells.join(' | ')} |`;

/** A table whose rows are lines already. */
export const tableOf = (heads: readonly string[], rows: readonly string[]): string =>
  [tableRow(heads), tableRow(heads.map(() => '---')), ...rows].join('\n');
