import { defineGymTask, whole } from '../shared/define.ts';
import { DIRECTIONS, gridOf, put, sideFields, sides, step, type Cell, type Direction } from './gridSearch.ts';
import { shuffled, uniformInt, type Draw } from '@rl-playground/base/random';

const NAMES = Object.keys(DIRECTIONS) as Direction[];

/** A walk that leaves land behind it and goes on to water where it can, else stays. */
function addIsland(draw: Draw, grid: number[][], size: number): void {
  const [rows, columns] = [grid.length, grid[0]?.length ?? 0];
  let at: Cell = { row: uniformInt(draw, 0, rows - 1), column: uniformInt(draw, 0, columns - 1) };
  for (let i = 0; i < Math.min(size, rows * columns); i++) {
    put(grid, at, 1);
    const here = at;
    const water = shuffled(draw, NAMES)
      .map((direction) => step(here, direction))
      .find(({ row, column }) => grid[row]?.[column] === 0);
    at = water ?? at;
  }
}

/** Number of cells of the largest group of ones that touch along edges; 0 without any. */
export function largestArea(grid: readonly (readonly number[])[]): number {
  const left = grid.map((row) => [...row]);
  let largest = 0;
  for (const [row, cells] of left.entries())
    for (const [column, cell] of cells.entries()) {
      if (cell !== 1) continue;
      const island: Cell[] = [{ row, column }];
      put(left, { row, column }, 0);
      for (const at of island)
        for (const direction of NAMES) {
          const next = step(at, direction);
          if (left[next.row]?.[next.column] !== 1) continue;
          put(left, next, 0);
          island.push(next);
        }
      largest = Math.max(largest, island.length);
    }
  return largest;
}

export const largestIsland = defineGymTask({
  name: 'largest_island',
  title: 'Largest island',
  summary: 'Find the area of the largest island in a grid of zeros and ones.',
  family: 'grids',
  fields: {
    ...sideFields(40, 10),
    min_num_islands: whole('Fewest islands', 'Fewest islands drawn; they may grow together.', 0, 30, 0),
    max_num_islands: whole('Most islands', 'Most islands drawn; they may grow together.', 0, 30, 5),
    min_island_size: whole('Smallest island', 'Cells of the smallest island.', 0, 60, 0),
    max_island_size: whole(
      'Largest island',
      'Cells of the largest island; those that grow together are larger.',
      0,
      60,
      10,
    ),
  },
  levels: [
    { ...sides(3, 4), min_num_islands: 1, max_num_islands: 2, max_island_size: 4 },
    { ...sides(4, 5), min_num_islands: 1, max_num_islands: 3, max_island_size: 5 },
    { max_rows: 7, max_cols: 7, max_num_islands: 4, max_island_size: 8 },
    {},
    { ...sides(10, 15), min_num_islands: 4, max_num_islands: 12, max_island_size: 20 },
  ],
  mayBeFew: ({ max_rows, max_cols, max_num_islands, max_island_size }) =>
    max_rows * max_cols <= 12 || max_num_islands * max_island_size <= 2,
  draw(draw, config) {
    const rows = uniformInt(draw, config.min_rows, config.max_rows);
    const columns = uniformInt(draw, config.min_cols, config.max_cols);
    const grid = gridOf(rows, columns, () => 0);
    const islands = uniformInt(draw, config.min_num_islands, config.max_num_islands);
    for (let i = 0; i < islands; i++)
      addIsland(draw, grid, uniformInt(draw, config.min_island_size, config.max_island_size));
    const text = grid.map((row) => row.join(' ')).join('\n');
    const area = largestArea(grid);
    return {
      question: `A map of ${rows} x ${columns} cells, 1 for land and 0 for water, with water all around it:\n${text}\n\nCells of land that touch along an edge, not just at a corner, belong to the same island. The area of an island is the number of its cells.\nWhat is the area of the largest island? Answer with the number only, 0 if there is no land.`,
      key: text,
      answer: `${area}`,
      data: { grid, solution: area },
    };
  },
});
