import * as z from 'zod';
import { defineGymTask } from '../shared/define.ts';
import { textScore } from '../shared/scoring.ts';
import { changeDigit, drawMatrix, matrixText, type Matrix } from './squareMatrix.ts';
import { whole } from '../../fields.ts';
import { splitSpace, stripSpace } from '../../python/text.ts';
import { uniformInt } from '../../../base/random.ts';

const FULL_TURN = 360;

/** A quarter turn clockwise: each row is a column read upwards. */
const turn = (matrix: Matrix): number[][] =>
  matrix.map((_, column) => matrix.map((row) => row[column] ?? 0).toReversed());

/** The matrix after each of the quarter turns that are left of `rotations` once full turns are taken off. */
function turns(matrix: Matrix, rotations: number): Matrix[] {
  const after: Matrix[] = [];
  for (let i = 0; i < rotations % 4; i++) after.push(turn(after.at(-1) ?? matrix));
  return after;
}

/** Longer ones can't be the answer: a matrix of 30 rows has 900 digits. */
const MOST_CHARACTERS = 20_000;

/** The rows with single blanks between their words. */
const evened = (text: string): string =>
  stripSpace(text)
    .split('\n')
    .map((line) => splitSpace(line).join(' '))
    .join('\n');

/** A square matrix to be turned by quarter turns. */
export const rotateMatrix = defineGymTask({
  name: 'rotate_matrix',
  title: 'Rotate a matrix',
  summary: 'Turn a square matrix of digits clockwise.',
  family: 'numbers',
  fields: {
    min_n: whole('Smallest size', 'Rows and columns of the smallest matrix.', 2, 30, 2),
    max_n: whole('Largest size', 'Rows and columns of the largest matrix.', 2, 30, 10),
    min_rotations: whole('Fewest quarter turns', 'Fewest turns by 90 degrees.', 0, 100, 0),
    max_rotations: whole('Most quarter turns', 'Most turns by 90 degrees.', 0, 100, 10),
  },
  levels: [
    { max_n: 2, min_rotations: 1, max_rotations: 1 },
    { max_n: 3, min_rotations: 1, max_rotations: 2 },
    { max_n: 3, max_rotations: 4 },
    { max_n: 5, max_rotations: 4 },
    {},
    { min_n: 10, max_n: 15, max_rotations: 16 },
  ],
  metadata: z.looseObject({
    matrix: z.array(z.array(z.number())).optional(),
    num_rotations: z.number().optional(),
  }),
  ordered: [
    ['min_n', 'max_n'],
    ['min_rotations', 'max_rotations'],
  ],
  draw(draw, { min_n, max_n, min_rotations, max_rotations }) {
    const matrix = drawMatrix(draw, uniformInt(draw, min_n, max_n));
    const rotations = uniformInt(draw, min_rotations, max_rotations);
    const rows = matrixText(matrix);
    return {
      question: `Turn this square matrix clockwise by ${rotations * 90} degrees:\n${rows}\nAnswer with the turned matrix in the same form, each row on a line of its own.`,
      compact: `rotate_matrix ${rotations * 90}: ${matrixText(matrix, '/')}`,
      key: `${rotations}:${rows}`,
      answer: matrixText(turns(matrix, rotations).at(-1) ?? matrix),
      data: { matrix, num_rotations: rotations },
    };
  },
  scoreAnswer: (candidate, { answer }, mode) =>
    mode === 'upstream' || candidate === null
      ? textScore(candidate, answer, mode)
      : textScore(evened(candidate.slice(0, MOST_CHARACTERS)), evened(answer), mode),
  steps({ metadata: { matrix = [], num_rotations = 0 } }) {
    const degrees = num_rotations * 90;
    const rest = degrees % FULL_TURN;
    return [
      ...(rest === degrees ? [] : [`${degrees} = ${rest}`]),
      ...turns(matrix, num_rotations).map((turned) => matrixText(turned, '/')),
    ].join('\n');
  },
  wrongAnswer: ({ answer }, draw) => changeDigit(draw, answer),
});
