import * as z from 'zod';
import { readPythonJson } from '../../python/json.ts';
import { readPythonLiteral } from '../../python/literal.ts';
import { pythonFloat } from '../../python/numbers.ts';
import { stripSpace } from '../../python/text.ts';
import { iterate, PythonError, type PythonValue } from '../../python/value.ts';
import { pick } from '../../../base/random.ts';
import { canonicalDecimal } from '../shared/decimal.ts';
import { defineGymTask } from '../shared/define.ts';
import { swapNeighbours } from '../shared/mistakes.ts';
import {
  countValues,
  drawNumberList,
  numberListError,
  numberListFields,
  pythonList,
  readList,
  sortNumbers,
} from '../shared/numberLists.ts';
import { MOST_READ } from '../shared/scoring.ts';
import { multisets, smallSpace } from '../shared/settings.ts';

/** What each number of an answer may be off by, to upstream. */
const TOLERANCE = 1;

/** `float(value)`. */
function toFloat(value: PythonValue): number {
  const float =
    typeof value === 'string' ? pythonFloat(value) : typeof value === 'object' ? null : Number(value);
  // Whole numbers that no float holds overflow.
  if (float === null || (typeof value === 'bigint' && !Number.isFinite(float)))
    throw new PythonError('float() refuses the value.');
  return float;
}

function readExpected(answer: string): PythonValue {
  try {
    return readPythonJson(answer);
  } catch {
    return readPythonLiteral(answer);
  }
}

/**
 * Whether upstream takes the answer: JSON once its single quotes are double ones, sorted, each number within 1 of the truth. NaN is
 * within 1 of everything, and Python's sort leaves it where it stands.
 */
function isNearlySorted(candidate: string, answer: string, direction: string): boolean {
  const given = readPythonJson(candidate.replaceAll("'", '"'));
  if (direction === '' || given === null || typeof given !== 'object' || given.kind !== 'list') return false;
  const expected = iterate(readExpected(answer)).map(toFloat);
  if (given.items.length !== expected.length) return false;
  const floats = given.items.map(toFloat);
  const sign = direction === 'ascending' ? 1 : -1;
  return floats.every((value, i) => {
    const before = floats[i - 1];
    if (before !== undefined && sign * value < sign * before) return false;
    return !(Math.abs(value - (expected[i] ?? 0)) > TOLERANCE);
  });
}

/** As Python prints a float, `45.0` and `9.3`; whole numbers stay so where all are. */
function pointText(number: string, mostDecimals: number): string {
  const plain = `${Number(number)}`;
  return mostDecimals > 0 && !plain.includes('.') ? `${plain}.0` : plain;
}

function inOrder(numbers: readonly string[], direction: string): string[] {
  const up = sortNumbers(numbers);
  return direction === 'ascending' ? up : up.toReversed();
}

/** A number in plain digits, as the text `canonicalDecimal` reads; the empty text for other values. */
function plainNumber(value: PythonValue | undefined): string {
  if (typeof value === 'string') return /^[-+.e\d]+$/i.test(stripSpace(value)) ? value : '';
  return typeof value === 'number' || typeof value === 'bigint' ? `${value}` : '';
}

/** Whether a list holds the very numbers in their order, as strings or numbers, however these are written. */
function isSorted(candidate: string, truth: readonly string[]): boolean {
  const given = readList(candidate);
  if (given === null || given.length !== truth.length) return false;
  return truth.every((number, i) => {
    const canonical = canonicalDecimal(plainNumber(given[i]));
    return canonical !== null && canonical === canonicalDecimal(number);
  });
}

/** Numbers to put in order, smallest or largest first. */
export const numberSorting = defineGymTask({
  name: 'number_sorting',
  title: 'Sort numbers',
  summary: 'Put a few decimal numbers in ascending or descending order.',
  family: 'numbers',
  fields: numberListFields(2),
  levels: [
    { max_numbers: 3, max_decimals: 0, min_value: 0, max_value: 99 },
    { max_numbers: 5, max_decimals: 0, min_value: 0, max_value: 99 },
    { max_numbers: 7, max_decimals: 1 },
    {},
    { min_numbers: 10, max_numbers: 20, max_decimals: 4, min_value: -10_000, max_value: 10_000 },
  ],
  metadata: z.looseObject({
    // Upstream scores nothing right without it.
    direction: z.string().default(''),
    original_numbers: z.array(z.string()).optional(),
  }),
  checkConfig: numberListError,
  space(config) {
    const values = countValues(config);
    if (values === null) return null;
    let lists = 0;
    for (let count = config.min_numbers; count <= config.max_numbers; count++)
      lists += multisets(values, count);
    return smallSpace(2 * lists);
  },
  draw(draw, config) {
    const numbers = drawNumberList(draw, config).map((number) => pointText(number, config.max_decimals));
    const direction = pick(draw, ['ascending', 'descending']);
    return {
      question: `Put these numbers in ${direction} order: ${numbers.join(', ')}\n\nAnswer with a list of strings in square brackets, each number written as above, like this: ['-7.5', '0', '12.25']`,
      compact: `number_sorting ${direction}: ${numbers.join(' ')}`,
      key: `${direction}: ${sortNumbers(numbers.map((number) => `${Number(number)}`)).join(' ')}`,
      answer: pythonList(inOrder(numbers, direction)),
      data: {
        direction,
        original_numbers: numbers,
        sorted_numbers: inOrder(numbers, direction),
        numbers: numbers.length,
      },
    };
  },
  scoreAnswer(candidate, { answer, metadata: { direction, original_numbers } }, mode) {
    if (candidate === null || candidate.length > MOST_READ) return 0;
    try {
      if (mode === 'upstream') return isNearlySorted(candidate, answer, direction) ? 1 : 0;
      const truth = original_numbers ?? iterate(readExpected(answer)).map(String);
      return isSorted(candidate, inOrder(truth, direction)) ? 1 : 0;
    } catch {
      // Upstream takes whatever goes wrong for a wrong answer.
      return 0;
    }
  },
  /** Insertion: each number with the list that it has come into. */
  steps({ metadata: { direction, original_numbers } }) {
    const numbers = original_numbers ?? [];
    return numbers
      .map((number, i) => `${number}: ${inOrder(numbers.slice(0, i + 1), direction).join(' ')}`)
      .join('\n');
  },
  wrongAnswer: ({ metadata: { direction, original_numbers } }, draw) =>
    pythonList(swapNeighbours(draw, inOrder(original_numbers ?? [], direction).map(Number)).map(String)),
});
