import * as z from 'zod';
import { defineGymTask } from '../shared/define.ts';
import { boardText, drawSolved, takeAway } from './sudokuBoard.ts';
import { boardScore } from './sudokuScore.ts';
import { whole } from '../../fields.ts';
import { uniformInt } from '../../../base/random.ts';

const board = z.array(z.array(z.number()));
/** The usual 9 × 9 puzzle. */
export const sudoku = defineGymTask({
  name: 'sudoku',
  title: 'Sudoku',
  summary: 'Complete a 9 × 9 Sudoku.',
  family: 'games',
  fields: {
    min_empty: whole(
      'Fewest empty cells',
      'Fewest cells to fill. A puzzle can have fewer where taking more away would leave several solutions.',
      1,
      64,
      30,
    ),
    max_empty: whole('Most empty cells', 'Most cells to fill.', 1, 64, 50),
  },
  levels: [
    { min_empty: 3, max_empty: 8 },
    { min_empty: 8, max_empty: 20 },
    { min_empty: 20, max_empty: 35 },
    {},
    { min_empty: 50, max_empty: 60 },
  ],
  metadata: z.looseObject({ puzzle: board.optional(), solution: board }),
  ordered: [['min_empty', 'max_empty']],
  draw(draw, { min_empty, max_empty }) {
    const solution = drawSolved(draw, 3).map((row) => [...row]);
    const puzzle = takeAway(draw, solution, uniformInt(draw, min_empty, max_empty)).map((row) => [...row]);
    const text = boardText(puzzle);
    return {
      question: `Here is a Sudoku; an underscore is an empty cell:\n${text}\nComplete it. Answer with the full 9x9 grid only, in the same form: a space between the numbers of a row, each row on a line of its own.`,
      key: text,
      answer: boardText(solution),
      data: { puzzle, solution },
    };
  },
  scoreAnswer: (candidate, { answer, metadata: boards }, mode) => boardScore(candidate, answer, boards, mode),
});
