/** Shortest ways through grids, by breadth-first search. */
import { whole } from '../../define/fields.ts';

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export const DIRECTIONS = {
  right: { row: 0, column: 1 },
  down: { row: 1, column: 0 },
  left: { row: 0, column: -1 },
  up: { row: -1, column: 0 },
} as const satisfies Readonly<Record<string, Cell>>;
export type Direction = keyof typeof DIRECTIONS;

export const step = ({ row, column }: Cell, direction: Direction): Cell => ({
  row: row + DIRECTIONS[direction].row,
  column: column + DIRECTIONS[direction].column,
});

/** A grid of so many rows and columns; `of` gives the content of its cells, row by row. */
export function gridOf<Content>(rows: number, columns: number, of: (cell: Cell) => Content): Content[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_cell, column) => of({ row, column })),
  );
}

/** Puts something into a cell, if the grid has it. */
export function put<Content>(grid: Content[][], { row, column }: Cell, content: Content): void {
  const cells = grid[row];
  if (cells !== undefined) cells[column] = content;
}

/** The settings of grids that have from `min` to `max` rows and columns. */
export function sides(min: number, max: number) {
  return { min_rows: min, max_rows: max, min_cols: min, max_cols: max };
}

/** The fields of a grid's rows and columns, at most `most` and usually 5 to `usual`. */
export const sideFields = (most: number, usual: number) => ({
  min_rows: whole('Fewest rows', 'Rows of the smallest grid.', 2, most, 5),
  max_rows: whole('Most rows', 'Rows of the largest grid.', 2, most, usual),
  min_cols: whole('Fewest columns', 'Columns of the smallest grid.', 2, most, 5),
  max_cols: whole('Most columns', 'Columns of the largest grid.', 2, most, usual),
});

/** The first cell with this mark, row by row, or null. */
export function findCell(grid: readonly (readonly string[])[], mark: string): Cell | null {
  for (const [row, marks] of grid.entries()) {
    const column = marks.indexOf(mark);
    if (column >= 0) return { row, column };
  }
  return null;
}

/** The directions of a shortest way over open cells, or null if there is none. */
export function shortestWay(start: Cell, goal: Cell, isOpen: (cell: Cell) => boolean): Direction[] | null {
  const nameOf = ({ row, column }: Cell): string => `${row},${column}`;
  const cameBy = new Map<string, { direction: Direction; from: Cell } | null>([[nameOf(start), null]]);
  const queue = [start];
  for (const cell of queue) {
    if (cell.row === goal.row && cell.column === goal.column) break;
    for (const direction of Object.keys(DIRECTIONS) as Direction[]) {
      const next = step(cell, direction);
      if (cameBy.has(nameOf(next)) || !isOpen(next)) continue;
      cameBy.set(nameOf(next), { direction, from: cell });
      queue.push(next);
    }
  }
  if (!cameBy.has(nameOf(goal))) return null;
  const way: Direction[] = [];
  for (let back = cameBy.get(nameOf(goal)); back; back = cameBy.get(nameOf(back.from)))
    way.push(back.direction);
  return way.toReversed();
}
