import { expect, it } from 'vitest';
import { distributionGaps, type ComparedItem } from '../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { baseConversion } from './arithmetic/baseConversion.ts';
import { bitwiseArithmetic } from './arithmetic/bitwiseArithmetic.ts';
import { calendarArithmetic } from './arithmetic/calendarArithmetic.ts';
import { coinFlip } from './arithmetic/coinFlip.ts';
import { countBits } from './arithmetic/countBits.ts';
import { countPrimes } from './arithmetic/countPrimes.ts';
import { decimalArithmetic } from './arithmetic/decimalArithmetic.ts';
import type { GymTask } from './shared/define.ts';
import { dice } from './arithmetic/dice.ts';
import { fractionSimplification } from './arithmetic/fractionSimplification.ts';
import { gcd, lcm } from './arithmetic/divisors.ts';
import { legCounting } from './arithmetic/legCounting.ts';
import { numberFormat } from './numbers/numberFormat.ts';
import { numberSequence } from './numbers/numberSequence.ts';
import { primeFactorization } from './arithmetic/primeFactorization.ts';
import { products } from './arithmetic/sumsAndProducts.ts';
import { simpleEquations } from './algebra/simpleEquations.ts';
import { timeIntervals } from './arithmetic/timeIntervals.ts';

type Measure = (item: ComparedItem) => number;
type Text = (item: ComparedItem) => string;

const list = ({ metadata }: ComparedItem, name: string): number[] =>
  (metadata[name] as readonly number[]).map(Number);
const value =
  (name: string): Measure =>
  ({ metadata }) =>
    Number(metadata[name]);
const is =
  (name: string, wanted: unknown): Measure =>
  ({ metadata }) =>
    Number(metadata[name] === wanted);
const text =
  (name: string): Text =>
  ({ metadata }) =>
    String(metadata[name]);
const occurs =
  (of: Text, pattern: RegExp): Measure =>
  (item) =>
    Number(pattern.test(of(item)));
const count =
  (of: Text, pattern: RegExp): Measure =>
  (item) =>
    Array.from(of(item).matchAll(pattern)).length;
const average = (numbers: readonly number[]): number =>
  numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
const answer: Text = (item) => item.answer;
const answerLength: Measure = (item) => item.answer.length;
const answerValue: Measure = (item) => Number(item.answer);
const answerSize: Measure = (item) => Math.log(1e-9 + Math.abs(Number(item.answer)));
const lastLine: Text = ({ question }) => question.split('\n').at(-1) ?? '';

const STATISTICS: readonly (readonly [GymTask, Readonly<Record<string, Measure>>])[] = [
  [
    gcd,
    {
      count: (item) => list(item, 'numbers').length,
      numbers: (item) => average(list(item, 'numbers')),
      squares: (item) => average(list(item, 'numbers').map((n) => n * n)),
      coprime: occurs(answer, /^1$/),
      two: occurs(answer, /^2$/),
      answerLength,
    },
  ],
  [
    lcm,
    {
      numbers: (item) => average(list(item, 'numbers')),
      coprime: (item) =>
        Number(list(item, 'numbers').reduce((product, n) => product * n, 1) === answerValue(item)),
      answerLength,
      answerValue,
    },
  ],
  [countBits, { number: value('number'), answerValue, squares: (item) => answerValue(item) ** 2 }],
  [
    baseConversion,
    {
      value: value('decimal_value'),
      source: value('source_base'),
      target: value('target_base'),
      both: (item) => value('source_base')(item) * value('target_base')(item),
      answerLength,
      letters: occurs(answer, /[a-z]/),
    },
  ],
  [
    products,
    {
      oneDigit: occurs(text('expression'), /^\d \* \d$/),
      fiveDigits: occurs(text('expression'), /^\d{5} \* \d{5}$/),
      length: (item) => text('expression')(item).length,
      first: (item) => Number(text('expression')(item).charAt(0)),
      answerLength,
    },
  ],
  [
    simpleEquations,
    {
      turned: occurs(text('equation'), /^\d+ - /),
      bare: occurs(text('equation'), /^[\w*-]+ =/),
      negative: occurs(text('equation'), /= -/),
      minus: occurs(text('equation'), /^-/),
      plus: occurs(text('equation'), / \+ /),
      length: (item) => text('equation')(item).length,
      variable: (item) => text('variable')(item).charCodeAt(0),
      answerValue,
    },
  ],
  [
    legCounting,
    {
      kinds: ({ metadata }) => Object.keys(metadata['animals'] ?? {}).length,
      instances: ({ metadata }) => average(Object.values(metadata['animals'] ?? {}).map(Number)),
      dogs: ({ metadata }) => Number(Object.hasOwn(metadata['animals'] ?? {}, 'dog')),
      answerValue,
    },
  ],
  [
    numberSequence,
    {
      terms: (item) => list(item, 'sequence').length,
      start: (item) => list(item, 'sequence')[0] ?? 0,
      complexity: value('complexity'),
      size: (item) => Math.log(1 + Math.abs(answerValue(item))),
      negative: occurs(answer, /^-/),
      regular: (item) => {
        const sequence = list(item, 'sequence');
        return Number(new Set(sequence.slice(1).map((n, i) => n - (sequence[i] ?? 0))).size === 1);
      },
      even: occurs(({ question }) => question, /^0, 2, 4, /),
      add: occurs(text('rule'), /\badd -?\d/),
      multiply: occurs(text('rule'), /multiply/),
      square: occurs(text('rule'), /square/),
      halve: occurs(text('rule'), /halve/),
      previous: occurs(text('rule'), /previous/),
      empty: occurs(text('rule'), /^$/),
    },
  ],
  [
    fractionSimplification,
    {
      numerator: value('simplified_numerator'),
      denominator: value('simplified_denominator'),
      factor: (item) => value('denominator')(item) / value('simplified_denominator')(item),
      plain: is('style', 'plain'),
      inline: is('style', 'latex_inline'),
      dfrac: is('style', 'latex_dfrac'),
      answerLength,
    },
  ],
  [
    primeFactorization,
    { number: value('number'), factors: (item) => list(item, 'factors').length, answerLength },
  ],
  [
    decimalArithmetic,
    {
      numbers: count(lastLine, /\d+\.\d+/g),
      brackets: count(lastLine, /\(/g),
      plus: count(lastLine, /\+/g),
      divided: count(lastLine, /\//g),
      first: (item) => Number(/\d+\.\d+/.exec(lastLine(item))?.[0]),
      answerLength,
      negative: occurs(answer, /^-/),
      answerSize,
    },
  ],
  [
    bitwiseArithmetic,
    {
      length: (item) => text('problem')(item).length,
      plus: count(text('problem'), /\+/g),
      left: count(text('problem'), /<</g),
      right: count(text('problem'), />>/g),
      first: (item) => Number(/0x[0-9a-f]+/.exec(text('problem')(item))?.[0]),
      negative: occurs(answer, /^-/),
      answerLength,
    },
  ],
  [
    coinFlip,
    {
      trials: value('num_trials'),
      heads: value('k_heads'),
      exact: is('problem_type', 'exact'),
      answerValue,
      answerLength,
    },
  ],
  [
    timeIntervals,
    {
      time: is('task_type', 'time'),
      seconds: is('task_type', 'time_seconds'),
      thousandths: is('task_type', 'time_ms'),
      date: is('task_type', 'date'),
      short: is('expected_format', 'D days, HH:MM'),
      zones: occurs(text('format'), /%z/),
      named: occurs(text('format'), /%A/),
      days: (item) => Number(/^(\d+) days/.exec(item.answer)?.[1] ?? 0),
      hours: (item) => Number(/^(\d+):/.exec(item.answer)?.[1] ?? 0),
      answerLength,
    },
  ],
  [countPrimes, { start: value('start'), end: value('end'), answerValue }],
  [
    dice,
    {
      target: (item) => Number((item.metadata['puzzle'] as { target: number }).target),
      sides: (item) => (item.metadata['puzzle'] as { dice_str: string }).dice_str.length,
      probability: ({ answer: fraction }) => {
        const [above, below] = fraction.split('/').map(Number);
        return (above ?? 0) / (below ?? 1);
      },
      answerLength,
    },
  ],
  [
    numberFormat,
    {
      count: (item) => list(item, 'candidates').length,
      solution: value('solution'),
      largest: is('size', 'largest'),
      scientific: count(({ question }) => question, /e\+/g),
      commas: count(({ question }) => question, /\d,\d/g),
      range: (item) => Math.max(...list(item, 'candidates')) - Math.min(...list(item, 'candidates')),
    },
  ],
  [
    calendarArithmetic,
    {
      offset: is('task', 'weekday_offset'),
      date: is('task', 'weekday_of_date'),
      first: is('task', 'weekday_of_date_from_first_date'),
      event: is('task', 'recurring_event_day'),
      days: is('task', 'count_days'),
      business: is('task', 'count_business_days'),
      yes: occurs(answer, /^Yes$/),
      monday: occurs(answer, /^Monday$/),
      numbers: (item) => (/^\d+$/.test(item.answer) ? Number(item.answer) : 0),
      delta: (item) => Number(item.metadata['delta_days'] ?? 0),
      back: (item) => Number(item.metadata['offset_days'] ?? 0),
      size: (item) => Math.abs(Number(item.metadata['offset_days'] ?? 0)),
    },
  ],
];

describeShared('problems drawn like upstream', 'refdata/rg', (folder) => {
  it.each(STATISTICS.map(([task, statistics]) => ({ name: task.name, task, statistics })))(
    '$name',
    ({ task, statistics }) => {
      const gaps = Object.entries(distributionGaps(task, folder, statistics));
      expect(gaps.filter(([, gap]) => !(gap < 5))).toEqual([]);
    },
  );
});
