import { describe, expect, it } from 'vitest';
import { distributionGaps, type ComparedItem } from '../../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor } from '@rl-playground/base/random';
import type { TaskConfig } from '../../define/types.ts';
import { asFloat, asInteger, evaluate } from '../sympy/expression.ts';
import { countdown } from './countdown.ts';
import type { GymTask } from '../shared/define.ts';
import {
  chainText,
  chainValue,
  findChain,
  numbersIn,
  plainValue,
  readChain,
  type Operator,
} from './numberPuzzle.ts';
import { puzzle24 } from './puzzle24.ts';

/** The values of `float(parse_expr(text))` in SymPy 1.14, or null if that raises. */
const FLOATS: readonly (readonly [text: string, value: number | null])[] = [
  ['15 - 4 + 95 + 36 - 32 + 29', 139],
  ['8/(3-8/3)', 24],
  ['2**3', 8],
  ['2**-1', 0.5],
  ['2**3!', 64],
  ['12^8', 4],
  ['12|8', 12],
  ['12&8', 8],
  ['~5', -6],
  ['1<<3', 8],
  ['-7//2', -4],
  ['7.5//2', 3],
  ['7 % 3', 1],
  ['9 % 0.1', 0.0999999999999995],
  ['7 * *9', 40353607],
  ['3!', 6],
  ['5!!', 15],
  ['(-3)!', null],
  ['5 !', null],
  ['5!!!', null],
  ['!3', null],
  ['2.5!', 3.3233509704478426],
  ['-1e400', -Infinity],
  ['sqrt(2)**2*12', 24],
  ['sqrt(8)/sqrt(2)', 2],
  ['sqrt(-4)', null],
  ['(-8)**(1/3)', null],
  ['2j*2j', -4],
  ['I*I', -1],
  ['I', null],
  ['pi', Math.PI],
  ['E', Math.E],
  ['oo', Infinity],
  ['zoo', null],
  ['nan', NaN],
  ['0/0', NaN],
  ['1/0', null],
  ['0**0', 1],
  ['x', null],
  ['x - x + 3', 3],
  ['x/x', 1],
  ['0*x', 0],
  ['2*(x+1)-2*x', 2],
  ['(x+1)*(x-1) - x**2', null],
  ['5 and 3', 3],
  ['5 or 3', 5],
  ['not 5', 0],
  ['2 if 1 else 3', 2],
  ['1==1', 1],
  ['1<2', null],
  ['3 in [3]', 1],
  ['True+1', 2],
  ['True + E', null],
  ['None', null],
  ['Max(3,7)', 7],
  ['min(3,7)', 3],
  ['gcd(12,8)', 4],
  ['lcm(12,8)', 24],
  ['abs(8-12)', 4],
  ['floor(7/2)', 3],
  ['round(7/2)', 4],
  ['sum([1,2])', 3],
  ['len([1,2])', 2],
  ['binomial(4,2)', 6],
  ['log(100,10)', 2],
  ['exp(0)', 1],
  ['log(2)', 0.6931471805599453],
  ['pow(2,3)', 8],
  ['f(2)', null],
  ['2(3)', null],
  ['2x', null],
  ['1 2', null],
  ['015', null],
  ['00', 0],
  ['1_000', 1000],
  ['0x1F', 31],
  ['1e3', 1000],
  ['.5', 0.5],
  ['24.', 24],
  ['3.14.15', null],
  ['1,2', null],
  ['[1]', null],
  ['()', null],
  ['"12"', 12],
  ["'a'", null],
  ['a=3', null],
  ['1;2', null],
  ['3@4', null],
  ['lambda: 4', null],
  ['x.y', null],
  ['12 # hi', 12],
  ['12\\\n+8', 20],
  ['(2\n+3)', 5],
  ['2\n+3', null],
  [' \u00a024\n', 24],
  ['2 +\u00a03', null],
  ['2 × 3', null],
  ['1１', null],
  ['１', null],
  ['+-+3', -3],
  ['*3', null],
  ['3 +', null],
  ['(3', null],
  ['3)', null],
  ['', null],
];

function floatOf(text: string): number | null {
  try {
    return asFloat(evaluate(text));
  } catch {
    return null;
  }
}

describe('expressions as SymPy reads them', () => {
  it.each(FLOATS)('%s', (text, value) => {
    if (value === null || !Number.isFinite(value)) expect(floatOf(text)).toBe(value);
    else expect(floatOf(text)).toBeCloseTo(value, 12);
  });

  it('refuses numbers that are too long instead of working for hours', () => {
    for (const text of ['9**9**9', '1000!', '10**100000', '1<<100000', '9'.repeat(5000)])
      expect(() => evaluate(text)).toThrow(/long|bits|digits|wide/);
  });

  it('cuts fractions off, and takes roots that make a whole number for it', () => {
    const whole: readonly [string, bigint][] = [
      ['49/2', 24n],
      ['-49/2', -24n],
      ['24.99', 24n],
      ['sqrt(3)*sqrt(3)*8', 24n],
      ['5*pi', 15n],
    ];
    for (const [text, value] of whole) expect([text, asInteger(evaluate(text))]).toEqual([text, value]);
    for (const text of ['oo', 'nan', 'zoo', 'x', 'I'])
      expect(() => asInteger(evaluate(text))).toThrow(/finite|number|value/);
  });

  it('reads deep and long expressions without overflowing', () => {
    expect(floatOf(`${'('.repeat(198)}7${')'.repeat(198)}`)).toBe(7);
    for (const text of ['('.repeat(100_000), '-'.repeat(100_000), '1+'.repeat(100_000), '2**'.repeat(500)])
      expect(floatOf(`${text}1`)).toBeNull();
    expect(floatOf(`${'-'.repeat(500)}1`)).toBe(1);
  });
});

describe('chains', () => {
  it('are written so that a reader finds the same value', () => {
    const range = { count: 6, low: 1, high: 30, operators: ['+', '-', '*', '/'] };
    for (let i = 0; i < 300; i++) {
      const chain = findChain(drawsFor(i), range, Number.isInteger, 100);
      if (chain === null) throw new Error('No chain was drawn.');
      const text = chainText(chain);
      expect([text, floatOf(text)]).toEqual([text, chainValue(chain)]);
      expect(readChain(text)).toEqual(chain);
    }
  });

  it('put brackets only where they are needed', () => {
    const operators: Operator[] = ['+', '*', '-', '/', '*'];
    expect(chainText({ numbers: [1, 2, 3, 4, 5, 6], operators })).toBe('((1 + 2)*3 - 4)/5*6');
    expect(chainText({ numbers: [7, 2, 3], operators: ['*', '+'] })).toBe('7*2 + 3');
  });

  it('are drawn with divisions that leave nothing over', () => {
    const values = Array.from({ length: 200 }, (_, i) =>
      findChain(drawsFor(i), { count: 4, low: 1, high: 12, operators: ['/', '-'] }, () => true, 1),
    ).map((chain) => (chain === null ? NaN : chainValue(chain)));
    expect(values.every(Number.isInteger)).toBe(true);
  });
});

describe('numbers of a text', () => {
  it('stand alone', () => {
    expect(numbersIn('1.5 + x2 + 2x + 007 - 3_0 ٣ 4e5')).toEqual(['1', '5', '7', '3']);
  });

  it('must be the given ones, each once', () => {
    expect(plainValue('(3 + 4)*5', [5, 4, 3])).toEqual({ p: 35n, q: 1n });
    expect(plainValue('8/(3 - 8/3)', [3, 3, 8, 8])).toEqual({ p: 24n, q: 1n });
    for (const text of [
      '3 + 4',
      '3 + 4 + 5 + 0',
      '3*3 + 4 + 5',
      '5**3 + 4',
      '5//3 + 4',
      '5(3 + 4)',
      '3 4 5',
      '3 + 4 + 5!',
    ])
      expect([text, plainValue(text, [3, 4, 5])]).toEqual([text, null]);
    expect(plainValue('3/(4 - 4)', [3, 4, 4])).toBeNull();
  });
});

function scores(task: GymTask, metadata: unknown, candidate: string | null): number[] {
  const entry = { question: '', answer: '', metadata };
  return [task.grade(entry, candidate, 'strict'), task.grade(entry, candidate, 'upstream')];
}

describe('scores, strict and upstream', () => {
  it.each([
    ['(25 - 5)*4 + 3', [1, 1]],
    [' 4 * (25 - 5) + 3 ', [1, 1]],
    ['4*(25 - 5 + 3/1)', [0, 0.05]],
    ['25*4 - 5 - 3', [0.05, 0.05]],
    ['83', [0, 0.05]],
    ['(25 - 5)*4 + 3 = 83', [0, 0.01]],
    ['4*(25 - 5) + 3 + x - x', [0, 1]],
    ['25*3 + 4 + 5 - 1 + True + True - True - 0*x', [0, 0.05]],
    ['(25 - 5)*4 + abs(-3)', [0, 1]],
    ['80 # 25 5 4 3', [0, 0.05]],
    ['83 if 25 else 5', [0, 0.05]],
    ['nan', [0, 0.05]],
    ['25 5 4 3', [0, 0.01]],
    ['', [0, 0.01]],
    [null, [0, 0.01]],
  ])('countdown: %s', (candidate, expected) => {
    expect(scores(countdown, { numbers: [25, 3, 4, 5], target: 83 }, candidate)).toEqual(expected);
  });

  it.each([
    ['(7 - 1)*(8 - 4)', [1, 1]],
    ['6*4*1*1', [0, 1]],
    ['(9*10 + 9)/4', [0, 1]],
    ['4! + 8 - 7 - 1', [0, 1]],
    ['8*7 - 4*1', [0, 0.01]],
    ['12*2*1*1', [0, 0.01]],
    ['24', [0, 0.01]],
    ['', [0, 0.01]],
    [null, [0, 0.01]],
  ])('24: %s', (candidate, expected) => {
    expect(scores(puzzle24, { numbers: [4, 1, 8, 7] }, candidate)).toEqual(expected);
  });
});

describe('demonstrations', () => {
  it('work sums out one step after the other up to the target', () => {
    const config = { ...countdown.defaults, ...countdown.starter?.config };
    for (let index = 0; index < 200; index++) {
      const problem = countdown.generate(1, 'train', index, config as TaskConfig);
      const { target } = problem.data as { target: number };
      const lines = countdown.workedAnswer(problem).split('\n').slice(0, -1);
      for (const line of lines) {
        const [left = '', right] = line.split(' = ');
        expect([line, floatOf(left)]).toEqual([line, Number(right)]);
      }
      expect(lines.at(-1)?.endsWith(` = ${target}`)).toBe(true);
    }
  });
});

describe('the game of 24', () => {
  it('counts its puzzles', () => {
    const reachable = (numbers: number[], value: number): boolean =>
      numbers.length === 0
        ? value === 24
        : numbers.some((next, i) => {
            const rest = numbers.filter((_, place) => place !== i);
            const results = [value + next, value - next, value * next];
            if (value % next === 0) results.push(value / next);
            return results.some((result) => reachable(rest, result));
          });
    let count = 0;
    for (let a = 1; a <= 10; a++)
      for (let b = a; b <= 10; b++)
        for (let c = b; c <= 10; c++)
          for (let d = c; d <= 10; d++) {
            const numbers = [a, b, c, d];
            if (
              numbers.some((first, i) =>
                reachable(
                  numbers.filter((_, place) => place !== i),
                  first,
                ),
              )
            )
              count++;
          }
    expect(puzzle24.space(puzzle24.defaults)).toBe(count);
  });

  it('says which settings have none', () => {
    const none = { ...puzzle24.defaults, operators: ['-', '/'] };
    expect(puzzle24.checkConfig(none)).toMatch(/operators/);
    expect(puzzle24.checkConfig(puzzle24.defaults)).toBeNull();
    expect(countdown.checkConfig({ ...countdown.defaults, max_value: 2 })).toMatch(/min_target/);
  });
});

describeShared('distributions', 'refdata/rg', (folder) => {
  const numbers = ({ metadata }: ComparedItem): number[] => metadata['numbers'] as number[];
  const count = (sign: string) => (item: ComparedItem) => item.answer.split(sign).length - 1;
  const statistics = {
    count: (item: ComparedItem) => numbers(item).length,
    first: (item: ComparedItem) => numbers(item)[0] ?? 0,
    last: (item: ComparedItem) => numbers(item).at(-1) ?? 0,
    'square of the first': (item: ComparedItem) => (numbers(item)[0] ?? 0) ** 2,
    sum: (item: ComparedItem) => numbers(item).reduce((sum, number) => sum + number, 0),
    ones: (item: ComparedItem) => numbers(item).filter((number) => number === 1).length,
    products: count('*'),
    quotients: count('/'),
    sums: count('+'),
    differences: count('-'),
    length: ({ answer }: ComparedItem) => answer.length,
  };

  it('of countdown are upstream’s', () => {
    const gaps = distributionGaps(countdown, folder, {
      ...statistics,
      target: ({ metadata }) => metadata['target'] as number,
      'square of the target': ({ metadata }) => (metadata['target'] as number) ** 2,
    });
    expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
  });

  it('of the game of 24 are upstream’s', () => {
    const gaps = distributionGaps(puzzle24, folder, statistics);
    expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
  });
});
