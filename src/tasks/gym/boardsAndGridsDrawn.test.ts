import { expect, it } from 'vitest';
import { referenceItems } from '../testing/gymConformance.ts';
import { distributionGaps, type ComparedItem } from '../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { binaryAlternation } from './logic/binaryAlternation.ts';
import { canFinish, courseSchedule } from './grids/courseSchedule.ts';
import type { GymTask } from './shared/define.ts';
import { findCell, shortestWay, type Cell } from './grids/gridSearch.ts';
import { largestArea, largestIsland } from './grids/largestIsland.ts';
import { maze } from './grids/maze.ts';
import { miniSudoku, sudoku } from './games/sudoku.ts';
import { quantumLock, shortestSequence } from './games/quantumLock.ts';
import { rotateMatrix, spiralMatrix } from './numbers/squareMatrices.ts';
import { shortestPath } from './grids/shortestPath.ts';
import { hasOneSolution } from './games/sudokuBoard.ts';
import { towerOfHanoi } from './games/towerOfHanoi.ts';

type Numbers = number[][];

describeShared('labels and distributions', 'refdata/rg', (folder) => {
  const items = (task: GymTask) => referenceItems(folder, task.name) as unknown as readonly ComparedItem[];

  it('of upstream’s items are found again', () => {
    for (const { answer, metadata } of items(largestIsland))
      expect(`${largestArea(metadata['grid'] as Numbers)}`).toBe(answer);
    for (const { answer, metadata } of items(courseSchedule)) {
      const courses = metadata['courses'] as number[];
      const list = metadata['prerequisites'] as [number, number][];
      expect(canFinish(courses.length, list) ? 'True' : 'False').toBe(answer);
    }
    for (const { answer, metadata } of items(quantumLock)) {
      const buttons = metadata['buttons'] as Parameters<typeof shortestSequence>[0];
      expect(shortestSequence(buttons, metadata['target_value'] as number, 15)?.join(' → ')).toBe(answer);
    }
    for (const { answer, metadata } of items(maze)) {
      const grid = (metadata['grid'] as string[]).map((row) => Array.from(row));
      const [start, goal] = [metadata['start'], metadata['goal']].map((mark) => findCell(grid, String(mark)));
      if (!start || !goal) throw new Error('A maze lacks its start or goal.');
      const isOpen = ({ row, column }: Cell) =>
        (grid[row]?.[column] ?? metadata['wall']) !== metadata['wall'];
      expect(`${shortestWay(start, goal, isOpen)?.length}`).toBe(answer);
    }
    for (const { metadata } of [...items(sudoku).slice(0, 40), ...items(miniSudoku)])
      expect(hasOneSolution(metadata['puzzle'] as Numbers)).toBe(true);
  });

  const at = (name: string) => (item: ComparedItem) => Number(item.metadata[name]);
  const length = (name: string) => (item: ComparedItem) => (item.metadata[name] as unknown[]).length;
  const right = (answer: string) => (item: ComparedItem) => (item.answer === answer ? 1 : 0);
  const value = ({ answer }: ComparedItem) => Number(answer);
  const cells = (name: string, wanted: unknown) => (item: ComparedItem) =>
    (item.metadata[name] as unknown[][]).flat().filter((cell) => cell === wanted).length;
  const width = (name: string) => (item: ComparedItem) =>
    (item.metadata[name] as unknown[][])[0]?.length ?? 0;
  const square = (measure: (item: ComparedItem) => number) => (item: ComparedItem) => measure(item) ** 2;
  const digits = (name: string) => (item: ComparedItem) =>
    (item.metadata[name] as Numbers)
      .flat()
      .reduce((sum, digit, _, { length: count }) => sum + digit / count, 0);
  const first = (name: string) => (item: ComparedItem) => (item.metadata[name] as Numbers)[0]?.[0] ?? 0;
  const locks = (field: 'type' | 'active_state', wanted: string) => (item: ComparedItem) =>
    (item.metadata['buttons'] as Record<string, unknown>[]).filter((each) => each[field] === wanted).length;
  const boards = {
    empty: cells('puzzle', 0),
    'square of empty': square(cells('puzzle', 0)),
    corner: first('solution'),
    'given corner': first('puzzle'),
    'second digit': (item: ComparedItem) => (item.metadata['solution'] as Numbers)[0]?.[1] ?? 0,
    'last of the first row': (item: ComparedItem) => (item.metadata['solution'] as Numbers)[0]?.at(-1) ?? 0,
  };

  const cases: readonly [GymTask, Record<string, (item: ComparedItem) => number>][] = [
    [sudoku, boards],
    [miniSudoku, boards],
    [
      rotateMatrix,
      {
        size: length('matrix'),
        spread: square(length('matrix')),
        digit: digits('matrix'),
        turns: at('num_rotations'),
      },
    ],
    [spiralMatrix, { size: length('matrix'), spread: square(length('matrix')), digit: digits('matrix') }],
    [
      binaryAlternation,
      {
        length: length('string'),
        spread: square(length('string')),
        impossible: right('-1'),
        swaps: value,
        ones: (item) => String(item.metadata['string']).split('1').length - 1,
      },
    ],
    [
      towerOfHanoi,
      {
        disks: at('num_disks'),
        pegs: at('num_pegs'),
        start: at('start_peg'),
        target: at('target_peg'),
        moves: at('solution_length'),
      },
    ],
    [
      largestIsland,
      {
        rows: length('grid'),
        columns: width('grid'),
        land: cells('grid', 1),
        'square of land': square(cells('grid', 1)),
        area: value,
        none: right('0'),
      },
    ],
    [
      maze,
      {
        size: length('grid'),
        spread: square(length('grid')),
        steps: value,
        'square of steps': square(value),
        walls: (item) =>
          Array.from((item.metadata['grid'] as string[]).join('')).filter(
            (mark) => mark === item.metadata['wall'],
          ).length,
        letters: (item) => (/[a-z]/i.test(String(item.metadata['start'])) ? 1 : 0),
      },
    ],
    [
      shortestPath,
      {
        rows: length('matrix'),
        columns: width('matrix'),
        blocked: cells('matrix', 'X'),
        infeasible: right('infeasible'),
        steps: ({ answer }) => answer.split(' ').length,
      },
    ],
    [
      courseSchedule,
      {
        courses: length('courses'),
        prerequisites: length('prerequisites'),
        'square of prerequisites': square(length('prerequisites')),
        true: right('True'),
      },
    ],
    [
      quantumLock,
      {
        target: at('target_value'),
        'square of the target': square(at('target_value')),
        steps: ({ answer }) => answer.split(' → ').length,
        add: locks('type', 'add'),
        multiply: locks('type', 'multiply'),
        any: locks('active_state', 'any'),
        red: locks('active_state', 'red'),
      },
    ],
  ];
  it.each(cases.map(([task, statistics]) => ({ name: task.name, task, statistics })))(
    '$name draws as upstream does',
    ({ task, statistics }) => {
      const gaps = distributionGaps(task, folder, statistics);
      expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
    },
  );
});
