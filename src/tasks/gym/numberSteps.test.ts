import { describe, expect, it } from 'vitest';
import { referenceItems } from '../testing/gymConformance.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import type { TaskConfig } from '../define/types.ts';
import { baseConversion } from './arithmetic/baseConversion.ts';
import { countBits } from './arithmetic/countBits.ts';
import { workOutDecimals } from './arithmetic/decimalArithmetic.ts';
import type { GymTask } from './shared/define.ts';
import { fractionSimplification } from './arithmetic/fractionSimplification.ts';
import { gcd, lcm } from './arithmetic/divisors.ts';
import { legCounting } from './arithmetic/legCounting.ts';
import { readLinear, writeLinear, simpleEquations } from './algebra/simpleEquations.ts';
import { numberSequence } from './numbers/numberSequence.ts';
import { primeFactorization } from './arithmetic/primeFactorization.ts';
import { products } from './arithmetic/sumsAndProducts.ts';
import { timeIntervals } from './arithmetic/timeIntervals.ts';

/** An expression of whole numbers without brackets and what it is said to come to: `84-72=12`, `7*8+5=61`, `84 / 7 = 12`. */
const EQUATION = /(?<![\d+*/-] ?)(-?\d+(?: ?[-+*/] ?\d+)+) ?= ?(-?\d+)(?!\d| ?[-+*/(])/g;

/** Products and whole quotients first, then sums. */
function valueOf(expression: string): number {
  const [first = '', ...others] = expression.replaceAll(' ', '').split(/(?=(?<=\d)[-+*/])/);
  const terms = [Number(first)];
  for (const part of others) {
    const [operator, number] = [part.charAt(0), Number(part.slice(1))];
    const last = terms.at(-1) ?? 0;
    if (operator === '*') terms[terms.length - 1] = last * number;
    else if (operator === '/') terms[terms.length - 1] = Math.floor(last / number);
    else terms.push(operator === '-' ? -number : number);
  }
  return terms.reduce((sum, term) => sum + term, 0);
}

const wrongEquations = (steps: string): string[] =>
  Array.from(steps.matchAll(EQUATION))
    .filter(([, expression = '', result = '']) => valueOf(expression) !== Number(result))
    .map(([equation]) => equation);

/** The patterns that find the answer in the last line of the steps. */
const ENDINGS: readonly (readonly [GymTask, (line: string) => string | undefined])[] = [
  [gcd, (line) => /^\d+ (\d+): \d+-\d+=0$/.exec(line)?.[1]],
  [lcm, (line) => /=(\d+)$/.exec(line)?.[1]],
  [countBits, (line) => / (\d+)$/.exec(line)?.[1]],
  [
    baseConversion,
    (line) =>
      line === '0:0'
        ? '0'
        : Array.from(line.matchAll(/\d+\/\d+=\d+ (\w)/g), ([, digit = '']) => digit)
            .toReversed()
            .join(''),
  ],
  [products, (line) => /(?:so|=) (-?\d+)$/.exec(line)?.[1]],
  [simpleEquations, (line) => /= (\d+)$/.exec(line)?.[1]],
  [legCounting, (line) => /[ =](\d+)$/.exec(line)?.[1]],
  [numberSequence, (line) => /=(-?\d+)$/.exec(line)?.[1]],
  [fractionSimplification, (line) => /(\d+\/\d+)$/.exec(line)?.[1]],
  [
    primeFactorization,
    (line) => {
      const divisions = Array.from(line.matchAll(/(\d+) (\d+)(?:,|$)/g));
      const primes = [...divisions.map(([, prime]) => prime), divisions.at(-1)?.[2]];
      return divisions.length === 0 ? /^(\d+) is prime$/.exec(line)?.[1] : primes.join(' × ');
    },
  ],
];

describe('steps', () => {
  it.each(ENDINGS.map(([task, ending]) => ({ name: task.name, task, ending })))(
    'lead to the answer of $name',
    ({ task, ending }) => {
      const plain: TaskConfig = 'styles' in task.defaults ? { styles: ['plain'] } : {};
      const starter = (task.starter?.config ?? {}) as TaskConfig;
      for (const config of [task.defaults, { ...task.defaults, ...starter }]) {
        for (let index = 0; index < 400; index++) {
          const problem = task.generate(23, 'train', index, { ...config, ...plain });
          const steps = task.workedAnswer(problem).split('\n').slice(0, -1);
          expect([problem.compact, ending(steps.at(-1) ?? '')]).toEqual([problem.compact, problem.answer]);
          expect(wrongEquations(steps.join('\n'))).toEqual([]);
        }
      }
    },
  );
});

describeShared('answers worked out again', 'refdata/rg', (folder) => {
  it('writes equations as upstream does', () => {
    const items = referenceItems(folder, 'simple_equations');
    expect(items.length).toBeGreaterThan(50);
    for (const { metadata } of items) {
      const { equation, variable } = metadata as { equation: string; variable: string };
      const [left = ''] = equation.split(' = ');
      const linear = readLinear(left);
      expect([left, linear && writeLinear(linear, variable)]).toEqual([left, left]);
    }
  });

  it('works decimals out like upstream', () => {
    const items = referenceItems(folder, 'decimal_arithmetic');
    expect(items.length).toBeGreaterThan(50);
    let ties = 0;
    for (const { question, answer } of items) {
      const expression = question.split('\n').at(-1)?.replace(' = ?', '') ?? '';
      // Upstream rounds every step to 12 digits, and halves to even ones; problems here round the result alone.
      const stepwise = workOutDecimals(expression, 12, 12);
      if (stepwise !== answer) ties++;
      const values = [stepwise, workOutDecimals(expression, 12)].map(Number);
      const size = Math.max(1, Math.abs(Number(answer)));
      for (const value of values) expect(Math.abs(value - Number(answer))).toBeLessThan(1e-9 * size);
    }
    expect(ties).toBeLessThan(0.03 * items.length);
  });
});

describe('durations', () => {
  it('are those between two moments with time zones', () => {
    const config = { ...timeIntervals.defaults, task_types: ['datetime'], max_date_difference_days: 2 };
    let compared = 0;
    for (let index = 0; index < 400; index++) {
      const { data, answer } = timeIntervals.generate(4, 'train', index, config);
      const { start_time = '', end_time = '', format, expected_format } = data as Record<string, string>;
      if (format !== '%Y-%m-%d %H:%M:%S %z' || expected_format !== 'D days, HH:MM:SS') continue;
      const read = (moment: string) => Date.parse(moment.replace(/^(\S+) (\S+) (...)(..)$/, '$1T$2$3:$4'));
      const [, ...parts] = /^(\d+) days, (\d\d):(\d\d):(\d\d)$/.exec(answer) ?? [];
      const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
      const length = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
      expect([start_time, end_time, length]).toEqual([
        start_time,
        end_time,
        (read(end_time) - read(start_time)) / 1000,
      ]);
      compared++;
    }
    expect(compared).toBeGreaterThan(5);
  });
});
