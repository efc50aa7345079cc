import * as z from 'zod';
import { defineGymTask, real, type MetadataOf } from '../shared/define.ts';
import {
  DIRECTIONS,
  findCell,
  gridOf,
  put,
  shortestWay,
  sideFields,
  sides,
  step,
  type Cell,
  type Direction,
} from './gridSearch.ts';
import { skipSpace, splitSpace, stripSpace } from '../../python/text.ts';
import { uniformInt, type Draw } from '@rl-playground/base/random';

const metadata = () => ({ matrix: z.array(z.array(z.string())) });
type Metadata = MetadataOf<typeof metadata>;

const [START, GOAL, OPEN, BLOCKED] = ['*', '#', 'O', 'X'] as const;
const INFEASIBLE = 'infeasible';
/** The score of a way that is too long. */
const DETOUR = 0.5;

function drawGrid(draw: Draw, rows: number, columns: number, blocked: number): string[][] {
  const grid = gridOf(rows, columns, (): string => (draw() < blocked ? BLOCKED : OPEN));
  const cellAt = (place: number): Cell => ({ row: Math.floor(place / columns), column: place % columns });
  const start = uniformInt(draw, 0, rows * columns - 1);
  const further = uniformInt(draw, 1, rows * columns - 1);
  put(grid, cellAt(start), START);
  put(grid, cellAt((start + further) % (rows * columns)), GOAL);
  return grid;
}

const isOpen =
  (matrix: readonly (readonly string[])[]) =>
  ({ row, column }: Cell): boolean =>
    (matrix[row]?.[column] ?? BLOCKED) !== BLOCKED;

const LONGEST_WORD = Math.max(...Object.keys(DIRECTIONS).map((name) => name.length));

/** The words of a text one by one, cut off where they are longer than any direction: a candidate can have a million characters. */
function* wordsOf(text: string): Generator<string> {
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const start = at;
    while (at < text.length && at - start <= LONGEST_WORD && skipSpace(text, at) === at) at++;
    yield text.slice(start, at);
  }
}

/** The number of steps of a way from the start over open cells to the goal, or null for any other text. */
function lengthOfWay(matrix: readonly (readonly string[])[], text: string): number | null {
  const [start, goal] = [findCell(matrix, START), findCell(matrix, GOAL)];
  if (start === null || goal === null) return null;
  const open = isOpen(matrix);
  let at = start;
  let length = 0;
  for (const word of wordsOf(text)) {
    if (!Object.hasOwn(DIRECTIONS, word)) return null;
    at = step(at, word as Direction);
    if (!open(at)) return null;
    length++;
  }
  return at.row === goal.row && at.column === goal.column ? length : null;
}

function score(candidate: string, answer: string, { matrix }: Metadata): number {
  if (candidate === '') return 0;
  const [given, truth] = [stripSpace(candidate), stripSpace(answer)];
  if (given === truth) return 1;
  const length = lengthOfWay(matrix, given);
  if (length === null) return 0;
  return length === splitSpace(truth).length ? 1 : DETOUR;
}

export const shortestPath = defineGymTask({
  name: 'shortest_path',
  title: 'Shortest path',
  summary: 'Give the directions of a shortest way through a grid.',
  family: 'grids',
  fields: {
    ...sideFields(30, 8),
    p_blocked: real('Share of blocked cells', 'Chance that a cell is blocked.', 0, 1, 0.4),
  },
  levels: [
    { ...sides(3, 3), p_blocked: 0.2 },
    { ...sides(3, 4), p_blocked: 0.3 },
    { ...sides(4, 6), p_blocked: 0.3 },
    {},
    { ...sides(8, 12), p_blocked: 0.3 },
  ],
  metadata,
  mayBeFew: ({ max_rows, max_cols }) => max_rows * max_cols <= 9,
  draw(draw, { min_rows, max_rows, min_cols, max_cols, p_blocked }) {
    const rows = uniformInt(draw, min_rows, max_rows);
    const matrix = drawGrid(draw, rows, uniformInt(draw, min_cols, max_cols), p_blocked);
    const [start, goal] = [findCell(matrix, START), findCell(matrix, GOAL)];
    const way = start === null || goal === null ? null : shortestWay(start, goal, isOpen(matrix));
    const text = matrix.map((row) => row.join(' ')).join('\n');
    return {
      question: `Find a shortest way through a grid from * to #. The marks of the cells:\n- * the start\n- # the destination\n- O an open cell\n- X a blocked cell\n\nEach step goes up, down, left or right to the next cell, and never to a blocked one.\nAnswer with the directions in order, with blanks between them, as in right right down down up left, or with the word infeasible if there is no way.\n\nThe grid:\n${text}`,
      key: text,
      answer: way === null ? INFEASIBLE : way.join(' '),
      data: { matrix },
    };
  },
  scoreAnswer: (candidate, { answer, metadata: data }) => score(candidate, answer, data),
});
