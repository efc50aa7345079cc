import { describe, expect, it } from 'vitest';
import type { Problem, TaskConfig } from '../define/types.ts';
import { binaryAlternation } from './logic/binaryAlternation.ts';
import type { GymTask } from './shared/define.ts';
import { miniSudoku, sudoku } from './games/sudoku.ts';
import { quantumLock, shortestSequence } from './games/quantumLock.ts';
import { rotateMatrix, spiralMatrix } from './numbers/squareMatrices.ts';
import { shortestPath } from './grids/shortestPath.ts';
import { hasOneSolution } from './games/sudokuBoard.ts';
import { towerOfHanoi } from './games/towerOfHanoi.ts';

function problems(task: GymTask, count: number, change: TaskConfig = {}): Problem[] {
  const config = { ...task.defaults, ...change };
  return Array.from({ length: count }, (_, index) => task.generate(23, 'train', index, config));
}

function scores(task: GymTask, answer: string, metadata: unknown, candidate: string | null): number[] {
  const entry = { question: '', answer, metadata };
  return [task.grade(entry, candidate, 'strict'), task.grade(entry, candidate, 'upstream')];
}

type Numbers = number[][];

describe('Sudoku boards', () => {
  /** Plain backtracking over lists, for comparing. */
  function countSolutions(board: Numbers): number {
    const size = board.length;
    const box = Math.sqrt(size);
    const row = board.findIndex((digits) => digits.includes(0));
    if (row < 0) return 1;
    const column = board[row]?.indexOf(0) ?? 0;
    const block = (at: number) => Math.floor(at / box);
    const taken = new Set(
      board.flatMap((digits, y) =>
        digits.filter(
          (_, x) => y === row || x === column || (block(y) === block(row) && block(x) === block(column)),
        ),
      ),
    );
    let count = 0;
    for (let digit = 1; digit <= size && count < 2; digit++) {
      if (taken.has(digit)) continue;
      const next = board.map((digits, y) =>
        digits.map((old, x) => (y === row && x === column ? digit : old)),
      );
      count += countSolutions(next);
    }
    return count;
  }

  it.each<{ name: string; task: GymTask; count: number; change?: TaskConfig }>([
    { name: '4 × 4', task: miniSudoku, count: 100 },
    { name: '9 × 9', task: sudoku, count: 20 },
    { name: '9 × 9 with few digits', task: sudoku, count: 3, change: { min_empty: 50, max_empty: 52 } },
  ])('$name have one solution, the label', ({ task, count, change }) => {
    for (const { data, answer } of problems(task, count, change)) {
      const { puzzle, solution } = data as { puzzle: Numbers; solution: Numbers };
      expect(countSolutions(puzzle)).toBe(1);
      expect(answer).toBe(solution.map((row) => row.join(' ')).join('\n'));
      expect(
        puzzle.every((row, y) => row.every((digit, x) => digit === 0 || digit === solution[y]?.[x])),
      ).toBe(true);
      const sets = [solution, solution.map((_, x) => solution.map((row) => row[x] ?? 0))];
      for (const rows of sets)
        for (const row of rows) expect(new Set(row)).toEqual(new Set(solution.map((_, i) => i + 1)));
    }
  });

  it('have as many empty cells as was asked for', () => {
    const empty = ({ data }: Problem) =>
      (data as { puzzle: Numbers }).puzzle.flat().filter((digit) => digit === 0).length;
    for (const problem of problems(sudoku, 50)) {
      expect(empty(problem)).toBeGreaterThanOrEqual(30);
      expect(empty(problem)).toBeLessThanOrEqual(50);
    }
    expect(problems(miniSudoku, 20, { min_empty: 3, max_empty: 3 }).map(empty)).toEqual(Array(20).fill(3));
  });

  it('tell one solution from several and from none', () => {
    const solved = [
      [1, 2, 3, 4],
      [3, 4, 1, 2],
      [2, 1, 4, 3],
      [4, 3, 2, 1],
    ];
    const without = (...cells: string[]) =>
      solved.map((row, y) => row.map((digit, x) => (cells.includes(`${y}${x}`) ? 0 : digit)));
    expect(hasOneSolution(without('00', '11', '22', '33'))).toBe(true);
    // 1 2 over 2 1 in the first two columns can be exchanged.
    expect(hasOneSolution(without('00', '01', '20', '21'))).toBe(false);
    expect(
      hasOneSolution([
        [1, 2, 3, 0],
        [0, 0, 0, 4],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ]),
    ).toBe(false);
  });

  const solution = [
    [4, 2, 1, 3],
    [1, 3, 4, 2],
    [2, 1, 3, 4],
    [3, 4, 2, 1],
  ];
  const puzzle = solution.map((row, y) => row.map((digit, x) => ((x + y) % 2 === 0 ? digit : 0)));
  it.each([
    ['4 2 1 3\n1 3 4 2\n2 1 3 4\n3 4 2 1', [1, 1]],
    ['\n4 2 1 3 \n 1 3 4 2\n2  1 3 4\n3 4 2 1\n\n', [1, 0.9 * (31 / 37)]],
    ['4 2 1 3\r\n1 3 4 2\r\n2 1 3 4\r\n3 4 2 1', [1, 31 / 34]],
    ['4213\n1342\n2134\n3421', [0, 0.9]],
    ['4 _ 1 _\n_ 3 _ 2\n2 _ 3 _\n_ 4 _ 1', [0, 0]],
    ['4 1 1 1\n1 3 1 2\n2 1 3 1\n1 4 1 1', [0, (0.9 * 10) / 16]],
    ['4 3 1 2\n1 3 4 2\n2 1 3 4\n3 4 2 1', [(0.9 * 6) / 8, (0.9 * 14) / 16]],
    ['2 4 1 3\n1 3 4 2\n2 1 3 4\n3 4 2 1', [0, (0.9 * 14) / 16]],
    ['1 2 3 4\n4 2 1 3\n1 3 4 2\n2 1 3 4', [0, 0.9 / 16]],
    ['4 2 1 3', [0, (0.9 * 4) / 16]],
    ['', [0, 0]],
    [null, [0, 0]],
  ])('earn what is right in %j', (candidate, expected) => {
    const answer = solution.map((row) => row.join(' ')).join('\n');
    const got = scores(miniSudoku, answer, { puzzle, solution }, candidate);
    expect(got[0]).toBeCloseTo(expected[0] ?? NaN, 12);
    expect(got[1]).toBeCloseTo(expected[1] ?? NaN, 12);
  });
});

describe('matrices', () => {
  it('are turned clockwise', () => {
    for (const { data, answer } of problems(rotateMatrix, 100)) {
      const { matrix, num_rotations } = data as { matrix: Numbers; num_rotations: number };
      const last = matrix.length - 1;
      // Where the digit that ends up at (row, column) comes from.
      const origin = (row: number, column: number): [number, number] =>
        ([
          [row, column],
          [last - column, row],
          [last - row, last - column],
          [column, last - row],
        ][num_rotations % 4] as [number, number]) ?? [row, column];
      const turned = matrix.map((_, row) =>
        matrix.map((_unused, column) => {
          const [y, x] = origin(row, column);
          return matrix[y]?.[x];
        }),
      );
      expect(answer).toBe(turned.map((row) => row.join(' ')).join('\n'));
    }
  });

  it('are listed along a spiral', () => {
    for (const { data, answer } of problems(spiralMatrix, 100)) {
      const { matrix } = data as { matrix: Numbers };
      const left = matrix.map((row) => row.map((): boolean => true));
      const listed: number[] = [];
      let [y, x, dy, dx] = [0, 0, 0, 1];
      while (listed.length < matrix.length ** 2) {
        listed.push(matrix[y]?.[x] ?? NaN);
        const row = left[y];
        if (row !== undefined) row[x] = false;
        if (left[y + dy]?.[x + dx] !== true) [dy, dx] = [dx, -dy];
        [y, x] = [y + dy, x + dx];
      }
      expect(answer).toBe(listed.join(' '));
    }
  });

  it('are worked out step by step up to the answer', () => {
    for (const problem of problems(rotateMatrix, 50, { min_rotations: 1, max_rotations: 3 }))
      expect(
        rotateMatrix.workedAnswer(problem).split('\n<answer>')[0]?.split('\n').at(-1)?.replaceAll('/', '\n'),
      ).toBe(problem.answer);
    for (const problem of problems(spiralMatrix, 50))
      expect(spiralMatrix.workedAnswer(problem).split('\n')[0]?.replaceAll(',', '')).toBe(problem.answer);
  });

  it.each([
    ['3 1 4 2', [1, 1]],
    [' 3 1 4 2\n', [1, 1]],
    ['3  1 4 2', [1, 0]],
    ['[3, 1, 4, 2]', [0, 0.1]],
    ['3,1,4,2', [0, 0.1]],
    ["('3', 1, '4', 2)", [0, 0.1]],
    ["'3142'", [0, 0.1]],
    ['[3.0, 1, 4, 2]', [0, 0]],
    ['[3, 1, 4, 2', [0, 0]],
    ['3 1 4', [0, 0]],
    ['', [0, 0]],
    [null, [0, 0]],
  ])('score %j', (candidate, expected) => {
    expect(scores(spiralMatrix, '3 1 4 2', {}, candidate)).toEqual(expected);
  });

  it('forgive blanks in the strict mode, and nothing else', () => {
    expect(scores(rotateMatrix, '1 2\n3 4', {}, ' 1  2 \n3 4\n')).toEqual([1, 0]);
    expect(scores(rotateMatrix, '1 2\n3 4', {}, 'It is 1 2\n3 4')).toEqual([0, 7 / 13]);
    expect(scores(rotateMatrix, '1 2\n3 4', {}, '1 2 3 4')).toEqual([0, 0]);
  });
});

describe('alternating bits', () => {
  function alternates(text: string): boolean {
    return !/00|11/.test(text);
  }

  /** Breadth-first over all swaps. */
  function fewestSwaps(text: string): number {
    let reached = new Set([text]);
    const seen = new Set(reached);
    for (let swaps = 0; reached.size > 0; swaps++) {
      if ([...reached].some(alternates)) return swaps;
      const next = new Set<string>();
      for (const each of reached)
        for (let i = 0; i < each.length; i++)
          for (let j = i + 1; j < each.length; j++) {
            const [a, b] = [each.charAt(i), each.charAt(j)];
            const swapped = each.slice(0, i) + b + each.slice(i + 1, j) + a + each.slice(j + 1);
            if (!seen.has(swapped)) next.add(swapped);
            seen.add(swapped);
          }
      reached = next;
    }
    return -1;
  }

  it('need as many swaps as a search finds', () => {
    for (const { data, answer } of problems(binaryAlternation, 60, { min_n: 3, max_n: 8, p_solvable: 0.7 })) {
      const { string } = data as { string: string };
      expect([string, answer]).toEqual([string, `${fewestSwaps(string)}`]);
    }
  });

  it('are counted where they are few', () => {
    const config = { ...binaryAlternation.defaults, min_n: 3, max_n: 4 };
    // Of three: 2·C(3,1), of four: C(4,2); impossible of four: 2·C(4,1), of six: 2·C(6,2).
    expect(binaryAlternation.space(config)).toBe(6 + 6 + 8 + 30);
    expect(binaryAlternation.space(binaryAlternation.defaults)).toBeNull();
  });

  it('end in the pairs that the answer is read off', () => {
    for (const problem of problems(binaryAlternation, 100, { min_n: 10, max_n: 14 })) {
      const pairs = binaryAlternation.workedAnswer(problem).split('\n')[2]?.split(', ') ?? [];
      const equal = pairs.map((pair) => pair.split(' ').map(Number)).filter(([a, b]) => a === b);
      const least = Math.min(...equal.map(([swaps]) => swaps ?? NaN));
      expect(problem.answer).toBe(`${equal.length === 0 ? -1 : least}`);
    }
  });
});

describe('the Tower of Hanoi', () => {
  const data = { num_disks: 2, num_pegs: 3, start_peg: 1, target_peg: 3, solution_length: 3 };
  const move = (disk: number, from: number, to: number) => `Move disk ${disk} from Peg ${from} to Peg ${to}`;
  const best = [move(1, 1, 2), move(2, 1, 3), move(1, 2, 3)];
  it.each([
    [best.join('\n'), [1, 1]],
    [`\n ${best.join(' \n\n ')}\n`, [1, 1]],
    [best.join('\u2028'), [1, 1]],
    [[move(1, 1, 3), move(1, 3, 2), ...best.slice(1)].join('\n'), [3 / 4, 3 / 4]],
    [best.slice(0, 2).join('\n'), [0, 0.05]],
    [' \n ', [0, 0.05]],
    [[`so:${best[0]}`, ...best.slice(1)].join('\n'), [0, 1]],
    [best.join('; '), [0, 0]],
    [best.map((line) => `${line}.`).join('\n'), [0, 0]],
    [best.map((line, i) => `${i}. ${line}`).join('\n'), [0, 0]],
    [[move(2, 1, 3), move(1, 1, 3)].join('\n'), [0, 0]],
    [[move(1, 1, 3), move(2, 1, 3)].join('\n'), [0, 0]],
    [move(1, 1, 4), [0, 0]],
    [move(1, 2, 3), [0, 0]],
    [best.join('\n').replaceAll('1', '１'), [0, 1]],
    ['', [0, 0]],
    [null, [0, 0]],
  ])('scores %j', (candidate, expected) => {
    expect(scores(towerOfHanoi, '', data, candidate)).toEqual(expected);
  });

  it('stops where upstream raises: a peg by one number to the rules, by another to the move', () => {
    const entry = { question: '', answer: '', metadata: data };
    expect(() => towerOfHanoi.grade(entry, `${move(1, 1, 0)}_2`, 'upstream')).toThrow(/peg/);
    expect(towerOfHanoi.grade(entry, `${move(1, 1, 0)}_2`, 'strict')).toBe(0);
  });

  it('is solved in 2^n − 1 moves with three pegs, and in known numbers with four', () => {
    const lengths = new Map(
      problems(towerOfHanoi, 400).map(({ answer, data: of }) => {
        const { num_disks, num_pegs } = of as typeof data;
        return [`${num_disks}/${num_pegs}`, answer.split('\n').length];
      }),
    );
    // Frame and Stewart's numbers for four pegs (OEIS A007664).
    const four = [5, 9, 13, 17, 25];
    for (let disks = 3; disks <= 7; disks++) {
      expect(lengths.get(`${disks}/3`)).toBe(2 ** disks - 1);
      expect(lengths.get(`${disks}/4`)).toBe(four[disks - 3]);
    }
  });
});

describe('paths', () => {
  const matrix = ['*OX', 'OO#'].map((row) => Array.from(row));
  it.each([
    ['down right right', [1, 1]],
    ['right down right\n', [1, 1]],
    ['down  up down right right', [0.5, 0.5]],
    ['down right right left right', [0.5, 0.5]],
    ['down right', [0, 0]],
    ['right right down', [0, 0]],
    ['up down down right right', [0, 0]],
    ['Down right right', [0, 0]],
    ['down, right, right', [0, 0]],
    ['infeasible', [0, 0]],
    [' ', [0, 0]],
    [null, [0, 0]],
  ])('score %j', (candidate, expected) => {
    expect(scores(shortestPath, 'down right right', { matrix }, candidate)).toEqual(expected);
  });

  it('that do not exist are only told by the word', () => {
    const blocked = [['*', 'X', '#']];
    expect(scores(shortestPath, 'infeasible', { matrix: blocked }, ' infeasible ')).toEqual([1, 1]);
    expect(scores(shortestPath, 'infeasible', { matrix: blocked }, 'right right')).toEqual([0, 0]);
  });
});

describe('locks', () => {
  const buttons = [
    { name: 'A', type: 'add', value: 2, active_state: 'any' },
    { name: 'B', type: 'multiply', value: 3, active_state: 'green' },
    { name: 'C', type: 'subtract', value: 1, active_state: 'red' },
  ];
  const data = { buttons, target_value: 8, initial_value: 0, initial_state: 'red' };

  it('are opened by the shortest sequence', () => {
    // Red 0, A: green 2, B: red 6, A: green 8.
    expect(shortestSequence(buttons, 8, 5)).toEqual(['A', 'B', 'A']);
    expect(shortestSequence(buttons, 8, 2)).toBeNull();
    expect(shortestSequence(buttons, 7, 15)).toEqual(['A', 'B', 'C', 'A']);
  });

  it.each([
    ['A → B → A', [1, 1]],
    [' A->B, A ', [1, 1]],
    ['ABA', [0, 1]],
    ['a → b → a', [0, 1]],
    ['Press A, then B, then A', [0, 1]],
    ['A → A → A → A', [0.5, 0.5]],
    // B does nothing under a red light.
    ['B → A → B → A', [0, 0.5]],
    ['A → B', [0, 0]],
    ['1 2 3', [0, 0]],
    ['', [0, 0]],
    [null, [0, 0]],
  ])('score %j', (candidate, expected) => {
    expect(scores(quantumLock, 'A → B → A', data, candidate)).toEqual(expected);
  });
});
