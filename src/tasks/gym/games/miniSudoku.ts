import * as z from 'zod';
import { defineGymTask } from '../shared/define.ts';
import { boardText, drawSolved, takeAway } from './sudokuBoard.ts';
import { boardScore } from './sudokuScore.ts';
import { whole } from '../../fields.ts';
import { uniformInt } from '../../../base/random.ts';

const board = z.array(z.array(z.number()));
/** A Sudoku of 4 × 4 cells. */
export const miniSudoku = defineGymTask({
  name: 'mini_sudoku',
  title: 'Mini Sudoku',
  summary: 'Complete a 4 × 4 Sudoku.',
  family: 'games',
  fields: {
    min_empty: whole(
      'Fewest empty cells',
      'Fewest cells to fill. A puzzle can have fewer where taking more away would leave several solutions.',
      1,
      12,
      8,
    ),
    max_empty: whole('Most empty cells', 'Most cells to fill.', 1, 12, 12),
  },
  levels: [
    { min_empty: 2, max_empty: 4 },
    { min_empty: 4, max_empty: 6 },
    { min_empty: 6, max_empty: 8 },
    {},
    { min_empty: 12, max_empty: 12 },
  ],
  metadata: z.looseObject({ puzzle: board.optional(), solution: board }),
  ordered: [['min_empty', 'max_empty']],
  draw(draw, { min_empty, max_empty }) {
    const solution = drawSolved(draw, 2).map((row) => [...row]);
    const puzzle = takeAway(draw, solution, uniformInt(draw, min_empty, max_empty)).map((row) => [...row]);
    const text = boardText(puzzle);
    return {
      question: `The rules of a 4x4 Mini Sudoku:\n- every row holds each of the numbers 1 to 4 once\n- so does every column\n- and so does every 2x2 block\nComplete this one; an underscore is an empty cell:\n${text}\nAnswer in the same form: a space between the numbers of a row, each row on a line of its own.`,
      key: text,
      answer: boardText(solution),
      data: { puzzle, solution },
    };
  },
  scoreAnswer: (candidate, { answer, metadata: boards }, mode) => boardScore(candidate, answer, boards, mode),
});
