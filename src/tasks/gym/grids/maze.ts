import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import { gridOf, put, shortestWay, type Cell } from './gridSearch.ts';
import { firstOf, isRare, needed } from '../shared/attempts.ts';
import { sampledSpace } from '../shared/space.ts';
import { shuffled, uniformInt, type Draw } from '@rl-playground/base/random';

const sizeHelp = (which: string) => `Rows and columns of the ${which} maze, walls around it included.`;

const fields = {
  min_dist: whole('Shortest way', 'Fewest steps from the start to the goal.', 1, 60, 5),
  max_dist: whole('Longest way', 'Most steps from the start to the goal.', 1, 60, 10),
  min_grid_size: whole('Smallest size', sizeHelp('smallest'), 4, 40, 5),
  max_grid_size: whole('Largest size', sizeHelp('largest'), 4, 40, 10),
};
type Config = ConfigOf<typeof fields>;

/** The share of inner cells that are passages. */
const OPEN_SHARE = 0.7;
const MOST_ATTEMPTS = 1000;
/** Settings must lead to a maze in a twentieth of that, several times over; then drawing one fails about once in e^20. */
const TRIALS = MOST_ATTEMPTS / 20;
/** The visible characters of ASCII; each maze takes four. */
const MARKS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
const [WALL, OPEN, START, GOAL] = ['#', '.', 'S', 'G'] as const;

function drawGrid(draw: Draw, size: number): string[][] {
  const isBorder = (at: number): boolean => at === 0 || at === size - 1;
  return gridOf(size, size, ({ row, column }) =>
    isBorder(row) || isBorder(column) || draw() >= OPEN_SHARE ? WALL : OPEN,
  );
}

function drawMaze(draw: Draw, config: Config): { grid: string[][]; distance: number } | null {
  const grid = drawGrid(draw, uniformInt(draw, config.min_grid_size, config.max_grid_size));
  const open: Cell[] = grid.flatMap((marks, row) =>
    marks.flatMap((mark, column) => (mark === OPEN ? [{ row, column }] : [])),
  );
  const [start, goal] = shuffled(draw, open);
  if (start === undefined || goal === undefined) return null;
  const isOpen = ({ row, column }: Cell): boolean => grid[row]?.[column] === OPEN;
  const way = shortestWay(start, goal, isOpen);
  if (way === null || way.length < config.min_dist || way.length > config.max_dist) return null;
  put(grid, start, START);
  put(grid, goal, GOAL);
  return { grid, distance: way.length };
}

const rareError = (attempts: number, { min_dist, max_dist }: Config): string =>
  `none of ${attempts} mazes had a way of ${min_dist} to ${max_dist} steps; choose larger mazes or shorter ways.`;

export const maze = defineGymTask({
  name: 'maze',
  title: 'Maze',
  summary: 'Count the steps of the shortest way through a maze.',
  family: 'grids',
  fields,
  levels: [
    { min_dist: 1, max_dist: 3, min_grid_size: 4, max_grid_size: 5 },
    { min_dist: 2, max_dist: 5, max_grid_size: 6 },
    { min_dist: 3, max_dist: 8, max_grid_size: 8 },
    {},
    { min_dist: 8, max_dist: 15, min_grid_size: 10, max_grid_size: 14 },
  ],
  checkConfig: (config) =>
    isRare((draw) => firstOf(TRIALS, () => drawMaze(draw, config)))
      ? `min_dist: ${rareError(TRIALS, config)}`
      : null,
  space(config) {
    if (config.max_grid_size > 5) return null;
    return sampledSpace(`maze ${JSON.stringify(config)}`, (draw) => drawMaze(draw, config)?.grid.join('/'));
  },
  draw(draw, config) {
    const error = `maze: ${rareError(MOST_ATTEMPTS, config)}`;
    const found = needed(MOST_ATTEMPTS, error, () => drawMaze(draw, config));
    const plain = found.grid.map((row) => row.join(''));
    const [wall = WALL, path = OPEN, start = START, goal = GOAL] = shuffled(draw, MARKS);
    const marks: Readonly<Record<string, string>> = {
      [WALL]: wall,
      [OPEN]: path,
      [START]: start,
      [GOAL]: goal,
    };
    const grid = found.grid.map((row) => row.map((mark) => marks[mark] ?? wall).join(''));
    return {
      question: `A maze leads from '${start}' (start) to '${goal}' (goal):\n\n\`\`\`\n${grid.join('\n')}\n\`\`\`\n'${wall}' is a wall and '${path}' a passage. A step goes up, down, left or right.\n\nHow many steps does the shortest way take? Answer with the number only.`,
      key: plain.join('\n'),
      answer: `${found.distance}`,
      data: { grid_size: grid.length, grid, shortest_path_length: found.distance, start, goal, wall, path },
    };
  },
});
