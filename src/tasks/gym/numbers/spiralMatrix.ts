import * as z from 'zod';
import { defineGymTask } from '../shared/define.ts';
import { changeDigit, drawMatrix, matrixText, type Matrix } from './squareMatrix.ts';
import { whole } from '../../fields.ts';
import { readPythonLiteral } from '../../python/literal.ts';
import { splitSpace, stripSpace } from '../../python/text.ts';
import { PythonError, iterate } from '../../python/value.ts';
import { uniformInt } from '../../../base/random.ts';

/** What upstream gives to the right numbers in the form of a Python list. */
const LIST = 0.1;
/** Longer ones can't be the answer: a matrix of 30 rows has 900 digits. */
const MOST_CHARACTERS = 20_000;

/** The stretches of the way round: a row to the right, a column down, a row to the left, a column up, and so on inwards. */
function stretches(matrix: Matrix): number[][] {
  const [first, ...rest] = matrix;
  if (first === undefined || first.length === 0) return [];
  const turned = first.map((_, column) => rest.map((row) => row[row.length - 1 - column] ?? 0));
  return [[...first], ...stretches(rest.length === 0 ? [] : turned)];
}

/** The items of a list, tuple, set or string in Python's notation, between blanks; null where the text is none. */
function listed(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return null;
  try {
    const value = readPythonLiteral(text);
    const items = iterate(value).map((item) =>
      typeof item === 'string' || typeof item === 'bigint' ? `${item}` : '?',
    );
    // CPython goes through a set of digits in ascending order, but for few of them with an 8 or 9.
    const isSet = value !== null && typeof value === 'object' && value.kind === 'set';
    return (isSet ? [...new Set(items)].toSorted() : items).join(' ');
  } catch (error) {
    if (error instanceof PythonError) return null;
    throw error;
  }
}

/** The digits of a square matrix along a spiral from the outside in. */
export const spiralMatrix = defineGymTask({
  name: 'spiral_matrix',
  title: 'Spiral order',
  summary: 'List the digits of a square matrix along a spiral.',
  family: 'numbers',
  fields: {
    min_n: whole('Smallest size', 'Rows and columns of the smallest matrix.', 2, 30, 2),
    max_n: whole('Largest size', 'Rows and columns of the largest matrix.', 2, 30, 10),
  },
  levels: [{ max_n: 2 }, { max_n: 3 }, { max_n: 5 }, {}, { min_n: 10, max_n: 15 }],
  metadata: z.looseObject({ matrix: z.array(z.array(z.number())).optional() }),
  ordered: [['min_n', 'max_n']],
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
    if (candidate === null || candidate === '') return 0;
    const [given, truth] = [stripSpace(candidate), stripSpace(answer)];
    if (mode === 'strict' && given.length > MOST_CHARACTERS) return 0;
    if (mode === 'strict') return splitSpace(given).join(' ') === splitSpace(truth).join(' ') ? 1 : 0;
    if (given === truth) return 1;
    return listed(given) === truth ? LIST : 0;
  },
  steps: ({ metadata: { matrix = [] } }) =>
    stretches(matrix)
      .map((stretch) => stretch.join(' '))
      .join(', '),
  wrongAnswer: ({ answer }, draw) => changeDigit(draw, answer),
});
