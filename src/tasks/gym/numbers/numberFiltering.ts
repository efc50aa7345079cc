import * as z from 'zod';
import { pick, uniformInt } from '../../../base/random.ts';
import { defineGymTask } from '../shared/define.ts';
import {
  countValues,
  drawDecimal,
  drawNumberList,
  numberListError,
  numberListFields,
  pythonList,
  readList,
  sortNumbers,
} from '../shared/numberLists.ts';
import { MOST_READ, textScore } from '../shared/scoring.ts';
import { multisets, smallSpace } from '../shared/settings.ts';

const OPERATIONS = ['keep_larger', 'keep_smaller', 'remove_larger', 'remove_smaller'] as const;

const REQUESTS: Readonly<Record<(typeof OPERATIONS)[number], string>> = {
  keep_larger: 'keep larger than',
  keep_smaller: 'keep smaller than',
  remove_larger: 'remove larger than',
  remove_smaller: 'remove smaller than',
};

/** Whether a number stays in the list. */
function stays(number: string, filter: string, operation: string): boolean {
  const beyond = operation.endsWith('larger')
    ? Number(number) > Number(filter)
    : Number(number) < Number(filter);
  return operation.startsWith('keep') === beyond;
}

/** Whether two texts are lists of the same strings, however their quotes and spaces are. */
function sameList(candidate: string, truth: string): boolean {
  const [given, wanted] = [readList(candidate), readList(truth)];
  return (
    given !== null &&
    wanted !== null &&
    given.length === wanted.length &&
    given.every((item, i) => typeof item === 'string' && item === wanted[i])
  );
}

/** A list of numbers to thin out at a threshold. */
export const numberFiltering = defineGymTask({
  name: 'number_filtering',
  title: 'Filter numbers',
  summary: 'Keep or remove the numbers of a list that are larger or smaller than a given one.',
  family: 'numbers',
  fields: numberListFields(4),
  levels: [
    { max_numbers: 3, max_decimals: 0, min_value: 0, max_value: 99 },
    { max_numbers: 5, max_decimals: 0, min_value: 0, max_value: 99 },
    { max_numbers: 7, max_decimals: 2 },
    {},
    { min_numbers: 10, max_numbers: 20, max_decimals: 6, min_value: -10_000, max_value: 10_000 },
  ],
  metadata: z.looseObject({
    original_numbers: z.array(z.string()).optional(),
    filter_value: z.string().optional(),
    operation: z.string().optional(),
  }),
  checkConfig: numberListError,
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
    return smallSpace(OPERATIONS.length * cases);
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
    if (mode === 'upstream' || score === 1 || candidate === null || candidate.length > MOST_READ)
      return score;
    return sameList(candidate, answer) ? 1 : 0;
  },
  /** Each number beside the threshold, and whether it is in the new list. */
  steps: ({ metadata: { original_numbers, filter_value = '', operation = '' } }) =>
    (original_numbers ?? [])
      .map((number) => {
        const difference = Number(number) - Number(filter_value);
        const sign = difference > 0 ? '>' : difference < 0 ? '<' : '=';
        return `${number}${sign}${filter_value} ${stays(number, filter_value, operation) ? 'in' : 'out'}`;
      })
      .join('\n'),
  /** One number is on the wrong side. */
  wrongAnswer({ metadata: { original_numbers, filter_value = '', operation = '' } }, draw) {
    const numbers = original_numbers ?? [];
    const wrong = uniformInt(draw, 0, numbers.length - 1);
    return pythonList(
      numbers.filter((number, i) => stays(number, filter_value, operation) !== (i === wrong)),
    );
  },
});
