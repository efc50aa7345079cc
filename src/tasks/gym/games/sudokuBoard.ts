/** Sudoku boards with boxes of 2 × 2 or 3 × 3 cells: filling, counting solutions, taking cells away. Sets of digits are bit masks. */
import { countOnes } from '../../define/wholeNumbers.ts';
import { needed } from '../shared/attempts.ts';
import { shuffled, type Draw } from '@rl-playground/base/random';

/** Rows of digits, 0 where a cell is empty. */
export type Board = readonly (readonly number[])[];

interface Grid {
  readonly box: number;
  readonly size: number;
  readonly cells: number[];
  /** Digits used in each row, column and box: bit d − 1 for digit d. */
  readonly rows: number[];
  readonly columns: number[];
  readonly boxes: number[];
}

function gridOf(box: number, cells: readonly number[]): Grid {
  const size = box * box;
  const empty = () => Array.from({ length: size }, () => 0);
  const grid: Grid = {
    box,
    size,
    cells: cells.map(() => 0),
    rows: empty(),
    columns: empty(),
    boxes: empty(),
  };
  cells.forEach((digit, at) => {
    if (digit > 0) toggle(grid, at, 1 << (digit - 1), digit);
  });
  return grid;
}

function unitsOf({ box, size }: Grid, at: number) {
  const [row, column] = [Math.floor(at / size), at % size];
  return { row, column, block: Math.floor(row / box) * box + Math.floor(column / box) };
}

/** Puts `digit` into a cell, or takes it out with `digit` 0; `bit` is the digit's either way. */
function toggle(grid: Grid, at: number, bit: number, digit: number): void {
  const { row, column, block } = unitsOf(grid, at);
  grid.cells[at] = digit;
  grid.rows[row] = (grid.rows[row] ?? 0) ^ bit;
  grid.columns[column] = (grid.columns[column] ?? 0) ^ bit;
  grid.boxes[block] = (grid.boxes[block] ?? 0) ^ bit;
}

/** Mask of the digits that fit into a cell. */
function candidates(grid: Grid, at: number): number {
  const { size, rows, columns, boxes } = grid;
  const { row, column, block } = unitsOf(grid, at);
  return ((1 << size) - 1) & ~((rows[row] ?? 0) | (columns[column] ?? 0) | (boxes[block] ?? 0));
}

const MOST_DIGITS = 9;

/** Remembered orders by the mask of their set. */
const setOrders: (readonly number[])[] = [];

/**
 * The order in which CPython goes through a set of digits, and so reasoning-gym tries them. It follows a hash table of 8 places, or of 32
 * from five digits on.
 */
function setOrder(mask: number): readonly number[] {
  return (setOrders[mask] ??= hashOrder(mask));
}

function hashOrder(mask: number): number[] {
  const digits = Array.from({ length: MOST_DIGITS }, (_, i) => i + 1).filter(
    (digit) => mask & (1 << (digit - 1)),
  );
  if (digits.length >= 5) return digits;
  const table: (number | undefined)[] = Array.from({ length: 8 });
  for (const digit of digits) {
    let place = digit & 7;
    while (table[place] !== undefined) place = (5 * place + 1) & 7;
    table[place] = digit;
  }
  return table.filter((digit) => digit !== undefined);
}

/** Fills the empty cells from `at` on, with the first digits that work; false where that can't be done. */
function fill(grid: Grid, at: number): boolean {
  let cell = at;
  while (cell < grid.cells.length && grid.cells[cell] !== 0) cell++;
  if (cell === grid.cells.length) return true;
  for (const digit of setOrder(candidates(grid, cell))) {
    toggle(grid, cell, 1 << (digit - 1), digit);
    if (fill(grid, cell + 1)) return true;
    toggle(grid, cell, 1 << (digit - 1), 0);
  }
  return false;
}

/** Number of solutions, counted up to `limit`; the cell with the fewest candidates goes first. */
function countSolutions(grid: Grid, limit: number): number {
  let best = -1;
  let bestMask = 0;
  let fewest = grid.size + 1;
  for (let at = 0; at < grid.cells.length && fewest > 1; at++) {
    if (grid.cells[at] !== 0) continue;
    const mask = candidates(grid, at);
    const count = countOnes(mask);
    if (count < fewest) [best, bestMask, fewest] = [at, mask, count];
  }
  if (best < 0) return 1;
  let found = 0;
  for (let rest = bestMask; rest !== 0 && found < limit; rest &= rest - 1) {
    const bit = rest & -rest;
    toggle(grid, best, bit, 32 - Math.clz32(bit));
    found += countSolutions(grid, limit - found);
    toggle(grid, best, bit, 0);
  }
  return found;
}

const boardOf = (size: number, cells: readonly number[]): number[][] =>
  Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size));

export function hasOneSolution(board: Board): boolean {
  const cells = board.flat();
  return countSolutions(gridOf(Math.sqrt(board.length), cells), 2) === 1;
}

const MOST_ATTEMPTS = 1000;

/**
 * Draws a full board like reasoning-gym: random boxes on the diagonal, then the first digits that work. About half of the diagonals of a 4
 * × 4 board fail and are drawn again.
 */
export function drawSolved(draw: Draw, box: number): number[][] {
  const size = box * box;
  const digits = Array.from({ length: size }, (_, i) => i + 1);
  const error = `No full board of size ${size} was found in ${MOST_ATTEMPTS} attempts; one is needed.`;
  return needed(MOST_ATTEMPTS, error, () => {
    const cells = Array.from({ length: size * size }, () => 0);
    for (let corner = 0; corner < size; corner += box)
      shuffled(draw, digits).forEach((digit, i) => {
        cells[(corner + Math.floor(i / box)) * size + corner + (i % box)] = digit;
      });
    const grid = gridOf(box, cells);
    return fill(grid, 0) ? boardOf(size, grid.cells) : null;
  });
}

/** Takes digits away in random order, each only where the solution stays the only one, until `count` are gone or all were tried. */
export function takeAway(draw: Draw, solved: Board, count: number): number[][] {
  const size = solved.length;
  const cells = solved.flat();
  const order = shuffled(draw, [...cells.keys()]);
  const grid = gridOf(Math.sqrt(size), cells);
  let left = count;
  for (const at of order) {
    if (left === 0) break;
    const digit = grid.cells[at] ?? 0;
    toggle(grid, at, 1 << (digit - 1), 0);
    if (countSolutions(grid, 2) === 1) left--;
    else toggle(grid, at, 1 << (digit - 1), digit);
  }
  return boardOf(size, grid.cells);
}

export function boardText(board: Board): string {
  return board.map((row) => row.map((digit) => (digit === 0 ? '_' : `${digit}`)).join(' ')).join('\n');
}
