import { describe, expect, it } from 'vitest';
import { referenceItems } from '../../testing/gymConformance.ts';
import { distributionGaps, type ComparedItem } from '../../testing/gymDistribution.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor, uniformInt } from '@rl-playground/base/random';
import { arithmeticTokens, workOut } from './arithmeticExpression.ts';
import { basicArithmetic } from './basicArithmetic.ts';
import { chainSum } from './sumsAndProducts.ts';
import { productLine, sumLine } from '../shared/columnSteps.ts';
import { complexArithmetic, formatComplex, readComplex } from '../algebra/complexArithmetic.ts';
import { canonicalDecimal } from '../shared/scoring.ts';
import type { GymTask } from '../shared/define.ts';

const expression = ({ metadata }: ComparedItem): string[] => String(metadata['expression']).split(' ');
const numbers = (item: ComparedItem): number[] => expression(item).map(Number).filter(Number.isFinite);
const tokens = (token: string) => (item: ComparedItem) =>
  expression(item).filter((each) => each === token).length;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const square = (measure: (item: ComparedItem) => number) => (item: ComparedItem) => measure(item) ** 2;
const terms = (item: ComparedItem): number => numbers(item).length;
const digits = (item: ComparedItem): number =>
  mean(numbers(item).map((number) => `${Math.abs(number)}`.length));

const result = ({ metadata }: ComparedItem): [number, number] => metadata['result'] as [number, number];

describeShared('against the reference items', 'refdata/rg', (folder) => {
  const cases: readonly [GymTask, Record<string, (item: ComparedItem) => number>][] = [
    [
      chainSum,
      {
        terms,
        'spread of the terms': square(terms),
        digits,
        'spread of the digits': square(digits),
        plus: tokens('+'),
        minus: tokens('-'),
        length: ({ answer }) => answer.length,
        negative: ({ answer }) => (answer.startsWith('-') ? 1 : 0),
      },
    ],
    [
      basicArithmetic,
      {
        terms,
        'spread of the terms': square(terms),
        digits,
        plus: tokens('+'),
        minus: tokens('-'),
        times: tokens('*'),
        divided: tokens('/'),
        brackets: tokens('('),
        'negated brackets': tokens('-('),
        'negative numbers': (item) => mean(numbers(item).map((number) => (number < 0 ? 1 : 0))),
        length: ({ answer }) => answer.length,
        negative: ({ answer }) => (answer.startsWith('-') ? 1 : 0),
      },
    ],
    [
      complexArithmetic,
      {
        ...Object.fromEntries(
          ['+', '-', '*', '/'].map((operation) => [
            operation,
            ({ metadata }: ComparedItem) => (metadata['operation'] === operation ? 1 : 0),
          ]),
        ),
        real: (item) => result(item)[0],
        'spread of the real part': (item) => result(item)[0] ** 2,
        'spread of the imaginary part': (item) => result(item)[1] ** 2,
        length: ({ answer }) => answer.length,
      },
    ],
  ];

  it.each(cases)('$name draws what upstream draws', (task, statistics) => {
    const gaps = distributionGaps(task, folder, statistics);
    expect(Object.entries(gaps).filter(([, gap]) => !(gap < 5))).toEqual([]);
  });

  it('works out the expressions of upstream in which every division comes out even', () => {
    const even = referenceItems(folder, 'basic_arithmetic').flatMap(({ metadata, answer }) => {
      const worked = workOut(arithmeticTokens((metadata as { expression: string }).expression));
      return worked === null ? [] : [[`${worked.value}`, answer]];
    });
    expect(even.length).toBeGreaterThan(100);
    for (const [found, truth] of even) expect(found).toBe(truth);
  });
});

describe('expressions', () => {
  const value = (text: string): bigint | null => workOut(arithmeticTokens(text))?.value ?? null;

  // Worked out by hand.
  it.each([
    ['2 + 3 * 4', 14n],
    ['( 2 + 3 ) * 4', 20n],
    ['-( 2 - 5 ) * -4', -12n],
    ['12 / 3 / 2', 2n],
    ['7-2-1', 4n],
    ['5--3', 8n],
    ['-(1+2)-(3-4)', -2n],
    ['  6  *-( 1 )', -6n],
    ['99999999999 * 99999999999', 9999999999800000000001n],
  ])('%s = %s', (text, truth) => {
    expect(value(text)).toBe(truth);
  });

  it.each(['7 / 2', '1 / 0', '3 / ( 1 - 1 )', '( 1', '2 +', ''])('%s has no whole value', (text) => {
    expect(value(text)).toBeNull();
  });

  it('refuses other characters', () => {
    expect(() => arithmeticTokens('2 ^ 3')).toThrow(/character 1/);
  });

  it('names each operation in the order in which it is done', () => {
    expect(workOut(arithmeticTokens('2 - 3 * 4'))?.steps).toEqual([
      '3 * 4 = 12',
      '2 - 12 = -(12 - 2): 2-2=0 1-0=1 so -10',
    ]);
  });
});

describe('steps in columns', () => {
  /** Each `7+8=15` and `2*7+1=15` of a line, checked by itself. */
  function checkColumns(line: string): void {
    for (const [, left = '', right = ''] of line.matchAll(/(?<=: .*)(\S+)=(\d+)/g)) {
      const parts = left.split('+').map((part) => {
        const [product, less] = [part.split('*').map(Number), part.split('-').map(Number)];
        return less.length === 2
          ? (less[0] ?? 0) - (less[1] ?? 0)
          : product.reduce((all, factor) => all * factor, 1);
      });
      expect([line, parts.reduce((sum, part) => sum + part, 0)]).toEqual([line, Number(right)]);
    }
  }

  it('add and subtract numbers of either sign', () => {
    const draw = drawsFor(9);
    for (let i = 0; i < 2000; i++) {
      const high = 10 ** uniformInt(draw, 1, 5);
      const [a, b] = [uniformInt(draw, -high, high), uniformInt(draw, -high, high)];
      const line = sumLine(BigInt(a), BigInt(b));
      expect(line.endsWith(` so ${a + b}`)).toBe(true);
      checkColumns(line);
      // The last digits of the columns, read from the last one, are the result's.
      const columns = [...line.matchAll(/=(\d+)(?= )/g)].map(([, digit = '']) => digit).toReversed();
      const worked =
        (columns[0] ?? '') +
        columns
          .slice(1)
          .map((digit) => digit.at(-1))
          .join('');
      expect([line, Number(worked)]).toEqual([line, Math.abs(a + b)]);
    }
  });

  it('multiply by a digit', () => {
    const draw = drawsFor(10);
    for (let i = 0; i < 500; i++) {
      const [a, b] = [uniformInt(draw, -999, 999), uniformInt(draw, -9, 9)];
      const line = productLine(BigInt(a), BigInt(b));
      expect(line).toMatch(new RegExp(` ${a * b === 0 ? 0 : a * b}$`));
      checkColumns(line);
    }
  });
});

describe('decimal numbers', () => {
  // What CPython 3.11 makes of them.
  it.each([
    ['1e999999999999999999', '1e999999999999999999'],
    ['10e999999999999999999', null],
    ['0e1000000000000000000', null],
    ['0e-1999999999999999997', '0'],
    ['1e-1999999999999999998', null],
    ['1__0', '1e1'],
    ['_1_', '1e0'],
    ['5e_1', '5e1'],
    ['__', null],
    ['.', null],
    ['in_f', 'Infinity'],
    ['nan12', null],
    ['１e１', '1e1'],
    ['1e0000000000000000000000000000000001', '1e1'],
    ['1\u001f', '1e0'],
    ['\u200b1', null],
    ['-0.00', '0'],
    ['-0.150', '-15e-2'],
    ['1 2', null],
  ])('%j is %j', (text, canonical) => {
    expect(canonicalDecimal(text)).toBe(canonical);
  });

  it('takes a million digits at once', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(canonicalDecimal(`1${zeros}1`)).toBe(`1${zeros}1e0`);
    expect(canonicalDecimal(`${zeros}1e-${zeros}2`)).toBe('1e-2');
  });
});

describe('complex numbers', () => {
  it.each([
    [3, 4, '3.0 + 4.0i'],
    [3, -4, '3.0 - 4.0i'],
    [-3, 0, '-3.00'],
    [0, -4, '-4.00i'],
    [0, 0, '0.00'],
  ])('%d and %d are written %s', (re, im, text) => {
    expect(formatComplex({ re, im })).toBe(text);
    expect(readComplex(text)).toEqual({ re, im });
  });

  // Python's complex() of the text with i for j.
  it.each([
    ['-1e+5-2e-3i', { re: -1e5, im: -2e-3 }],
    ['1_0+i', { re: 10, im: 1 }],
    ['((-I))', { re: 0, im: -1 }],
    ['３-４i', { re: 3, im: -4 }],
    ['1+-2i', null],
    ['i2', null],
    ['1__0i', null],
    ['3+4i\n', null],
  ])('%j is read as %j', (text, number) => {
    expect(readComplex(text)).toEqual(number);
  });

  it('knows no near miss and no NaN in strict mode', () => {
    const entry = { question: '', answer: '3.0 + 4.0i', metadata: { result: [3, 4] } };
    for (const text of ['nan', '3 + 5i', 'nan+4i', '3.1 + 4i'])
      expect([text, complexArithmetic.grade(entry, text, 'strict')]).toEqual([text, 0]);
    expect(complexArithmetic.grade(entry, 'nan', 'upstream')).toBe(1);
    expect(complexArithmetic.grade(entry, ' 3+4i\n', 'strict')).toBe(1);
  });
});
