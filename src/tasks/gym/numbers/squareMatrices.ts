/** Square matrices of digits: to be turned, and to be read along a spiral. */
import { unless } from '@rl-playground/base/errors';
import { uniformInt, type Draw } from '@rl-playground/base/random';
import { readPythonLiteral } from '../../python/literal.ts';
import { splitSpace, stripSpace } from '../../python/text.ts';
import { gridOf } from '../grids/gridSearch.ts';
import { iterate, PythonError } from '../../python/value.ts';
import { defineGymTask, whole } from '../shared/define.ts';
import { textScore } from '../shared/scoring.ts';

type Matrix = readonly (readonly number[])[];

const drawMatrix = (draw: Draw, size: number): number[][] => gridOf(size, size, () => uniformInt(draw, 0, 9));

/** The longest text that is read; a matrix of 30 rows has 900 digits. */
const MOST_CHARACTERS = 20_000;

const SIZES = {
  min_n: whole('Smallest size', 'Rows and columns of the smallest matrix.', 2, 30, 2),
  max_n: whole('Largest size', 'Rows and columns of the largest matrix.', 2, 30, 10),
};

/** Rows on lines of their own, or between other marks. */
const matrixText = (matrix: Matrix, between = '\n'): string =>
  matrix.map((row) => row.join(' ')).join(between);

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

/** The rows with single blanks between their words. */
const evened = (text: string): string =>
  stripSpace(text)
    .split('\n')
    .map((line) => splitSpace(line).join(' '))
    .join('\n');

export const rotateMatrix = defineGymTask({
  name: 'rotate_matrix',
  title: 'Rotate a matrix',
  summary: 'Turn a square matrix of digits clockwise.',
  family: 'numbers',
  fields: {
    ...SIZES,
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
    mode === 'upstream'
      ? textScore(candidate, answer, mode)
      : textScore(evened(candidate.slice(0, MOST_CHARACTERS)), evened(answer), mode),
  steps({ data: { matrix, num_rotations } }) {
    const degrees = num_rotations * 90;
    const rest = degrees % FULL_TURN;
    return [
      ...(rest === degrees ? [] : [`${degrees} = ${rest}`]),
      ...turns(matrix, num_rotations).map((turned) => matrixText(turned, '/')),
    ].join('\n');
  },
});

/** Upstream's score of the right numbers as a Python list. */
const LIST = 0.1;

/** The stretches of the way round: a row to the right, a column down, a row to the left, a column up, and so on inwards. */
function stretches(matrix: Matrix): number[][] {
  const [first, ...rest] = matrix;
  if (first === undefined || first.length === 0) return [];
  const turned = first.map((_, column) => rest.map((row) => row[row.length - 1 - column] ?? 0));
  return [[...first], ...stretches(rest.length === 0 ? [] : turned)];
}

/** The items of a list, tuple, set or string in Python's form, with blanks between them, or null. */
function listed(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return null;
  return unless([PythonError], null, () => {
    const value = readPythonLiteral(text);
    const items = iterate(value).map((item) =>
      typeof item === 'string' || typeof item === 'bigint' ? `${item}` : '?',
    );
    // CPython goes through a set of digits in ascending order, but for few of them with an 8 or 9.
    const isSet = value !== null && typeof value === 'object' && value.kind === 'set';
    return (isSet ? [...new Set(items)].toSorted() : items).join(' ');
  });
}

export const spiralMatrix = defineGymTask({
  name: 'spiral_matrix',
  title: 'Spiral order',
  summary: 'List the digits of a square matrix along a spiral.',
  family: 'numbers',
  fields: SIZES,
  levels: [{ max_n: 2 }, { max_n: 3 }, { max_n: 5 }, {}, { min_n: 10, max_n: 15 }],
  draw(draw, { min_n, max_n }) {
    const matrix = drawMatrix(draw, uniformInt(draw, min_n, max_n));
    const rows = matrixText(matrix);
    return {
      question: `List all numbers of a matrix in spiral order, clockwise and from the top left corner inwards:\n- along the top row to the right\n- down the right column\n- along the bottom row to the left\n- up the left column\n- then the same with what is left inside, until nothing is left.\nAnswer with the numbers in one line, with blanks between them, as in 1 2 3 4 5 6.\n\nThe matrix:\n${rows}`,
      compact: `spiral_matrix ${matrixText(matrix, '/')}`,
      key: rows,
      answer: stretches(matrix).flat().join(' '),
      data: { matrix },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    if (candidate === '') return 0;
    const [given, truth] = [stripSpace(candidate), stripSpace(answer)];
    if (mode === 'strict' && given.length > MOST_CHARACTERS) return 0;
    if (mode === 'strict') return splitSpace(given).join(' ') === splitSpace(truth).join(' ') ? 1 : 0;
    if (given === truth) return 1;
    return listed(given) === truth ? LIST : 0;
  },
  steps: ({ data: { matrix } }) =>
    stretches(matrix)
      .map((stretch) => stretch.join(' '))
      .join(', '),
});
