/** How reasoning-gym scores a filled board, and a stricter way. */
import { stripSpace } from '../pythonText.ts';
import type { ScoringMode } from '../types.ts';
import { codePoints } from './scoring.ts';
import type { Board } from './sudokuBoard.ts';

/** Share that a board earns which is not in the form that was asked for, or not right everywhere. */
const PARTIAL = 0.9;

function stripEnd(line: string): string {
  return stripSpace(`|${line}`).slice(1);
}

const strippedLines = (text: string): string => text.split('\n').map(stripEnd).join('\n');

/**
 * Lines with as many digits as a row are taken for the rows in order, whatever else is in them; each right digit counts, the given
 * ones too. Text that is longer than the solution costs its share.
 */
function upstreamScore(candidate: string, truth: string, solution: Board): number {
  const size = solution[0]?.length ?? 0;
  let reward = 1;
  if (strippedLines(candidate) !== strippedLines(truth)) {
    let [row, matching] = [0, 0];
    for (const line of candidate.split('\n')) {
      if (row >= solution.length) break;
      const digits = line.replace(/[^1-9]+/g, '');
      if (digits.length !== size) continue;
      const wanted = solution[row] ?? [];
      matching += wanted.filter((digit, i) => `${digit}` === digits.charAt(i)).length;
      row++;
    }
    reward = (matching / (size * size)) * PARTIAL;
  }
  const [longest, length] = [codePoints(truth), codePoints(candidate)];
  return length > longest ? reward * (longest / length) : reward;
}

const MOST_CHARACTERS = 2000;

/** The rows of digits that a text consists of, or null where it isn't a board of the right size. */
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

export function boardScore(
  candidate: string | null,
  truth: string,
  boards: { readonly puzzle?: Board | undefined; readonly solution: Board },
  mode: ScoringMode,
): number {
  if (candidate === null || candidate === '') return 0;
  return mode === 'upstream'
    ? upstreamScore(candidate, truth, boards.solution)
    : strictScore(candidate, boards.puzzle, boards.solution);
}
