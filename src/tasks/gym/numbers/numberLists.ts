/** Lists of decimal numbers: to be thinned out at a threshold, and to be put in order. */
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { valueOfJson, readPythonList } from '../../python/json.ts';
import { readPythonLiteral } from '../../python/literal.ts';
import { pythonFloat } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';
import { iterate, PythonError, type PythonValue } from '../../python/value.ts';
import { defineGymTask, real, whole, type ConfigOf } from '../shared/define.ts';
import { canonicalDecimal, MOST_READ, textScore } from '../shared/scoring.ts';
import { multisets, sumOver } from '../../define/wholeNumbers.ts';

/** `decimals` is the default of the most decimal places. */
const fieldsOf = (decimals: number) => ({
  min_numbers: whole('Fewest numbers', 'Numbers in the shortest lists.', 1, 100, 3),
  max_numbers: whole('Most numbers', 'Numbers in the longest lists.', 1, 100, 10),
  min_decimals: whole('Fewest decimals', 'Fewest digits behind the point.', 0, 8, 0),
  max_decimals: whole('Most decimals', 'Most digits behind the point.', 0, 8, decimals),
  min_value: real('Smallest number', 'Numbers are at least about this.', -1e5, 1e5, -100),
  max_value: real('Largest number', 'Numbers are at most about this.', -1e5, 1e5, 100),
});
type Config = ConfigOf<ReturnType<typeof fieldsOf>>;

/** The parts and checks of both tasks. */
const listsOf = (decimals: number) => ({
  family: 'numbers' as const,
  fields: fieldsOf(decimals),
  ordered: [
    ['min_numbers', 'max_numbers'],
    ['min_decimals', 'max_decimals'],
  ] as const,
  checkConfig: ({ min_value, max_value }: Config): string | null =>
    min_value < max_value
      ? null
      : `min_value: ${min_value} is not below max_value, ${max_value}; choose less than ${max_value}.`,
});

/** The number at `decimals` places; zero has no sign. */
function decimalText(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text;
}

/** A number from `low` to `high` at a random number of decimal places. */
function drawDecimal(draw: Draw, { min_decimals, max_decimals }: Config, low: number, high: number): string {
  const value = low + draw() * (high - low);
  return decimalText(value, uniformInt(draw, min_decimals, max_decimals));
}

function drawNumberList(draw: Draw, config: Config): string[] {
  const count = uniformInt(draw, config.min_numbers, config.max_numbers);
  return Array.from({ length: count }, () => drawDecimal(draw, config, config.min_value, config.max_value));
}

/** The number of different numbers if all have the same decimal places, or null. */
function countValues({ min_decimals, max_decimals, min_value, max_value }: Config): number | null {
  const scale = 10 ** max_decimals;
  return min_decimals === max_decimals
    ? Math.round(max_value * scale) - Math.round(min_value * scale) + 1
    : null;
}

/** Sorts texts by their numbers. */
function sortNumbers(numbers: readonly string[]): string[] {
  return numbers.toSorted((a, b) => Number(a) - Number(b));
}

/** `['1.5', '-2']`. No item may hold a quote or a backslash. */
function pythonList(items: readonly string[]): string {
  return `[${items.map((item) => `'${item}'`).join(', ')}]`;
}

const OPERATIONS = ['keep_larger', 'keep_smaller', 'remove_larger', 'remove_smaller'] as const;

const REQUESTS: Readonly<Record<(typeof OPERATIONS)[number], string>> = {
  keep_larger: 'keep larger than',
  keep_smaller: 'keep smaller than',
  remove_larger: 'remove larger than',
  remove_smaller: 'remove smaller than',
};

/** Says whether a number stays in the list. */
function stays(number: string, filter: string, operation: string): boolean {
  const beyond = operation.endsWith('larger')
    ? Number(number) > Number(filter)
    : Number(number) < Number(filter);
  return operation.startsWith('keep') === beyond;
}

/** Says whether two texts are lists of the same strings, in any quotes and spacing. */
function sameList(candidate: string, truth: string): boolean {
  const [given, wanted] = [readPythonList(candidate), readPythonList(truth)];
  return (
    given !== null &&
    wanted !== null &&
    given.length === wanted.length &&
    given.every((item, i) => typeof item === 'string' && item === wanted[i])
  );
}

export const numberFiltering = defineGymTask({
  name: 'number_filtering',
  title: 'Filter numbers',
  summary: 'Keep or remove the numbers of a list that are larger or smaller than a given one.',
  ...listsOf(4),
  levels: [
    { max_numbers: 3, max_decimals: 0, min_value: 0, max_value: 99 },
    { max_numbers: 5, max_decimals: 0, min_value: 0, max_value: 99 },
    { max_numbers: 7, max_decimals: 2 },
    {},
    { min_numbers: 10, max_numbers: 20, max_decimals: 6, min_value: -10_000, max_value: 10_000 },
  ],
  space(config) {
    const values = countValues(config);
    if (values === null) return null;
    let cases = 0;
    for (let count = config.min_numbers; count <= config.max_numbers; count++) {
      // By the distance of the largest number from the smallest; the threshold is one of the values between.
      for (let spread = 0; spread < (count === 1 ? 1 : values) && cases < 1e6; spread++) {
        const lists = spread === 0 ? values : (values - spread) * multisets(spread + 1, count - 2);
        cases += lists * (spread + 1);
      }
    }
    return OPERATIONS.length * cases;
  },
  draw(draw, config) {
    const numbers = drawNumberList(draw, config);
    const sorted = sortNumbers(numbers).map(Number);
    const filter = drawDecimal(draw, config, sorted[0] ?? 0, sorted.at(-1) ?? 0);
    const operation = pick(draw, OPERATIONS);
    const request = REQUESTS[operation];
    const [verb = '', ...rest] = request.split(' ');
    const result = numbers.filter((number) => stays(number, filter, operation));
    return {
      question: `From the list below, ${verb} every number that is ${rest.join(' ')} ${filter}. Leave the others as they are, in their order, and answer with the new list, written like the first.\n\n${pythonList(numbers)}`,
      compact: `number_filtering ${request} ${filter}: ${numbers.join(' ')}`,
      key: `${request} ${Number(filter)}: ${sortNumbers(numbers.map((number) => `${Number(number)}`)).join(' ')}`,
      answer: pythonList(result),
      data: { original_numbers: numbers, filter_value: filter, operation, result, numbers: numbers.length },
    };
  },
  scoreAnswer(candidate, { answer }, mode) {
    const score = textScore(candidate, answer, mode);
    if (mode === 'upstream' || score === 1 || candidate.length > MOST_READ) return score;
    return sameList(candidate, answer) ? 1 : 0;
  },
  /** Each number is compared with the threshold and marked as in or out of the new list. */
  steps: ({ data: { original_numbers, filter_value, operation } }) =>
    original_numbers
      .map((number) => {
        const difference = Number(number) - Number(filter_value);
        const sign = difference > 0 ? '>' : difference < 0 ? '<' : '=';
        return `${number}${sign}${filter_value} ${stays(number, filter_value, operation) ? 'in' : 'out'}`;
      })
      .join('\n'),
});

/** Upstream's largest error of each number. */
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
    return valueOfJson(answer);
  } catch {
    return readPythonLiteral(answer);
  }
}

/**
 * Says whether upstream takes the answer: sorted JSON once its single quotes are doubled, each number within 1 of the truth. NaN is within
 * 1 of everything, and Python's sort leaves it in place.
 */
function isNearlySorted(candidate: string, answer: string, direction: string): boolean {
  const given = valueOfJson(candidate.replaceAll("'", '"'));
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

/** A float in Python's form, such as `45.0` and `9.3`; numbers stay whole if all are. */
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

/** Says whether a list has the same numbers in the same order, as strings or numbers in any form. */
function isSorted(candidate: string, truth: readonly string[]): boolean {
  const given = readPythonList(candidate);
  if (given === null || given.length !== truth.length) return false;
  return truth.every((number, i) => {
    const canonical = canonicalDecimal(plainNumber(given[i]));
    return canonical !== null && canonical === canonicalDecimal(number);
  });
}

export const numberSorting = defineGymTask({
  name: 'number_sorting',
  title: 'Sort numbers',
  summary: 'Put a few decimal numbers in ascending or descending order.',
  ...listsOf(2),
  levels: [2, 3, 4, 5, 6, 7, 8].map((count) => ({ min_numbers: count, max_numbers: count })),
  metadata: (z) => ({
    // Upstream scores nothing right without it.
    direction: z.string().default(''),
    original_numbers: z.array(z.string()).optional(),
  }),
  space(config) {
    const values = countValues(config);
    if (values === null) return null;
    return 2 * sumOver(config.min_numbers, config.max_numbers, (count) => multisets(values, count));
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
    if (candidate.length > MOST_READ) return 0;
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
  steps: ({ data: { direction, original_numbers: numbers } }) =>
    numbers
      .map((number, i) => `${number}: ${inOrder(numbers.slice(0, i + 1), direction).join(' ')}`)
      .join('\n'),
});
