/** The two Sudokus, of 4 × 4 and of 9 × 9 cells, and how reasoning-gym scores a filled board, and a stricter way. */
import * as z from 'zod';
import { uniformInt } from '@rl-playground/base/random';
import { stripSpace } from '../../python/text.ts';
import { defineGymTask, whole } from '../shared/define.ts';
import { codePoints } from '../shared/scoring.ts';
import { type Board, boardText, drawSolved, takeAway } from './sudokuBoard.ts';

/** The most that a board earns if it lacks the right form or has a wrong cell. */
const PARTIAL = 0.9;

function stripEnd(line: string): string {
  return stripSpace(`|${line}`).slice(1);
}

/** The lines one by one: a candidate can have a million. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    yield text.slice(from, end);
    from = end + 1;
  }
  yield text.slice(from);
}

/** The first `most` of the digits 1 to 9 in a line. */
function digitsOf(line: string, most: number): number[] {
  const digits: number[] = [];
  for (let at = 0; at < line.length && digits.length < most; at++) {
    const digit = line.charCodeAt(at) - 48;
    if (digit >= 1 && digit <= 9) digits.push(digit);
  }
  return digits;
}

/** Counts right digits, given ones included. Lines with as many digits as a row are taken for the rows in order. */
function matchingDigits(candidate: string, solution: Board, size: number): number {
  let [row, matching] = [0, 0];
  for (const line of linesOf(candidate)) {
    if (row >= solution.length) break;
    const digits = digitsOf(line, size + 1);
    if (digits.length !== size) continue;
    matching += (solution[row] ?? []).filter((digit, i) => digit === digits[i]).length;
    row++;
  }
  return matching;
}

/** Says whether texts differ only in whitespace at the ends of lines. */
function sameLines(candidate: string, truth: string): boolean {
  const wanted = truth.split('\n').map(stripEnd);
  let count = 0;
  for (const line of linesOf(candidate)) if (stripEnd(line) !== wanted[count++]) return false;
  return count === wanted.length;
}

/** Text that is longer than the solution costs its share. */
function upstreamScore(candidate: string, truth: string, solution: Board): number {
  if (candidate === '') return 0;
  const size = solution[0]?.length ?? 0;
  const partial = () => (matchingDigits(candidate, solution, size) / (size * size)) * PARTIAL;
  const reward = sameLines(candidate, truth) ? 1 : partial();
  const [longest, length] = [codePoints(truth), codePoints(candidate)];
  return length > longest ? reward * (longest / length) : reward;
}

const MOST_CHARACTERS = 2000;

/** The rows of digits of a text, or null if it is no board of the right size. */
function readBoard(text: string, size: number): Board | null {
  if (text.length > MOST_CHARACTERS) return null;
  const board = stripSpace(text)
    .split('\n')
    .map((line) =>
      stripSpace(line)
        .split(/[ \t]+/)
        .map((word) => (/^[1-9]$/.test(word) ? Number(word) : 0)),
    );
  const sound =
    board.length === size &&
    board.every(
      (row) =>
        row.length === size && new Set(row).size === size && Math.min(...row) > 0 && Math.max(...row) <= size,
    );
  return sound ? board : null;
}

/** 1 for the solution; part of the empty cells' share only for a board in form that keeps what is given and repeats no digit in a row. */
function strictScore(candidate: string, puzzle: Board | undefined, solution: Board): number {
  const board = readBoard(candidate, solution.length);
  if (board === null) return 0;
  let [empty, right] = [0, 0];
  for (const [row, digits] of solution.entries()) {
    for (const [column, digit] of digits.entries()) {
      const given = (puzzle?.[row]?.[column] ?? 0) > 0;
      const matches = board[row]?.[column] === digit;
      if (given && !matches) return 0;
      if (!given) empty++;
      if (!given && matches) right++;
    }
  }
  return right === empty ? 1 : (right / empty) * PARTIAL;
}

const board = z.array(z.array(z.number()));
const FEWEST_HELP =
  'Fewest cells to fill. A puzzle can have fewer where taking more away would leave several solutions.';

interface Size {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** Cells of the side of a block. */
  readonly box: number;
  /** The limit of empty cells, and the usual numbers of them. */
  readonly most: number;
  readonly usual: readonly [min: number, max: number];
  readonly levels: readonly { readonly min_empty?: number; readonly max_empty?: number }[];
  readonly question: (text: string) => string;
}

function sudokuTask({ box, most, usual, question, ...task }: Size) {
  const [usualMin, usualMax] = usual;
  return defineGymTask({
    ...task,
    family: 'games',
    fields: {
      min_empty: whole('Fewest empty cells', FEWEST_HELP, 1, most, usualMin),
      max_empty: whole('Most empty cells', 'Most cells to fill.', 1, most, usualMax),
    },
    metadata: () => ({ puzzle: board.optional(), solution: board }),
    draw(draw, { min_empty, max_empty }) {
      const solution = drawSolved(draw, box);
      const puzzle = takeAway(draw, solution, uniformInt(draw, min_empty, max_empty));
      const text = boardText(puzzle);
      return { question: question(text), key: text, answer: boardText(solution), data: { puzzle, solution } };
    },
    scoreAnswer: (candidate, { answer, metadata: { puzzle, solution } }, mode) =>
      mode === 'upstream'
        ? upstreamScore(candidate, answer, solution)
        : strictScore(candidate, puzzle, solution),
  });
}

export const miniSudoku = sudokuTask({
  name: 'mini_sudoku',
  title: 'Mini Sudoku',
  summary: 'Complete a 4 × 4 Sudoku.',
  box: 2,
  most: 12,
  usual: [8, 12],
  levels: [
    { min_empty: 2, max_empty: 4 },
    { min_empty: 4, max_empty: 6 },
    { min_empty: 6, max_empty: 8 },
    {},
    { min_empty: 12, max_empty: 12 },
  ],
  question: (text) =>
    `The rules of a 4x4 Mini Sudoku:\n- every row holds each of the numbers 1 to 4 once\n- so does every column\n- and so does every 2x2 block\nComplete this one; an underscore is an empty cell:\n${text}\nAnswer in the same form: a space between the numbers of a row, each row on a line of its own.`,
});

export const sudoku = sudokuTask({
  name: 'sudoku',
  title: 'Sudoku',
  summary: 'Complete a 9 × 9 Sudoku.',
  box: 3,
  most: 64,
  usual: [30, 50],
  levels: [
    { min_empty: 3, max_empty: 8 },
    { min_empty: 8, max_empty: 20 },
    { min_empty: 20, max_empty: 35 },
    {},
    { min_empty: 50, max_empty: 60 },
  ],
  question: (text) =>
    `Here is a Sudoku; an underscore is an empty cell:\n${text}\nComplete it. Answer with the full 9x9 grid only, in the same form: a space between the numbers of a row, each row on a line of its own.`,
});
