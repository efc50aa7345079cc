import { describe, expect, it } from 'vitest';
import type { ScoringMode } from '../define/types.ts';
import { bitwiseArithmetic } from './arithmetic/bitwiseArithmetic.ts';
import { calendarArithmetic } from './arithmetic/calendarArithmetic.ts';
import { coinFlip } from './arithmetic/coinFlip.ts';
import { decimalArithmetic } from './arithmetic/decimalArithmetic.ts';
import type { GymTask } from './shared/define.ts';
import { dice } from './arithmetic/dice.ts';
import { fractionSimplification } from './arithmetic/fractionSimplification.ts';
import { gcd } from './arithmetic/divisors.ts';
import { numberFormat } from './numbers/numberFormat.ts';
import { primeFactorization } from './arithmetic/primeFactorization.ts';
import { products } from './arithmetic/sumsAndProducts.ts';
import { timeIntervals } from './arithmetic/timeIntervals.ts';

type Entry = readonly [answer: string, metadata: unknown];
/** A candidate, its score in `upstream` mode (null where that raises), and in `strict` mode. */
type Row = readonly [candidate: string, upstream: number | null, strict: number];

const CASES: readonly (readonly [GymTask, Entry, readonly Row[]])[] = [
  [
    gcd,
    ['5', {}],
    [
      ['5', 1, 1],
      [' 5\n', 1 / 3, 1],
      ['15', 0.5, 0],
      ['𝟓5', 0.5, 0],
    ],
  ],
  [
    products,
    ['1392', { expression: '48 * 29' }],
    [
      ['1,392', 1, 1],
      ['1_392.', 1, 1],
      ['13920', 0.8, 0],
      ['nan', 0, 0],
    ],
  ],
  [
    fractionSimplification,
    ['$\\frac{1}{2}$', { numerator: 4, denominator: 8, simplified_numerator: 1, simplified_denominator: 2 }],
    [
      ['$\\frac{1}{2}$', 1, 1],
      ['1 / 2', 1, 1],
      ['\\DFRAC { 1 } { ２ } or so', 1, 0],
      ['4/7', 0.1, 0],
      ['-1/-2', 0.05, 0],
      ['+1/0_2', 1, 0],
      ['1/2/1', 0.01, 0],
      ['\\tfrac{1}{2}', 0.01, 0],
      ['0.5', 0.01, 0],
      ['', 0.01, 0],
    ],
  ],
  [
    primeFactorization,
    ['2 × 2 × 3', {}],
    [
      ['3×2 × 2', 1, 1],
      ['× 2 × 2 × ０3 ×', 1, 0],
      ['12', 0.5, 0],
      ['-2 × -6', 0.5, 0],
      ['0', 0.01, 0],
      ['', 0.01, 0],
      ['2 * 2 * 3', null, 0],
      ['2² × 3', null, 0],
      ['9×'.repeat(300_000), 0.01, 0],
      // A byte order mark is no blank to Python's int.
      ['2 ×\ufeff 2 × 3', null, 0],
    ],
  ],
  [
    decimalArithmetic,
    ['2.220', {}],
    [
      ['2.22', 1, 1],
      ['2.22000000001', 1, 1],
      ['2.2200000001', 1, 0],
      ['2.221000000000005', 1, 0],
      ['2.221000000000006', 0, 0],
      ['2.219', 1, 0],
      ['2_2.2e-1', 1, 0],
      ['22.2E-1', 1, 1],
      ['inf', 0, 0],
      ['1e-999999999999', 0, 0],
      [`2.22${'0'.repeat(500_000)}1`, 1, 0],
    ],
  ],
  [
    bitwiseArithmetic,
    ['-0x2', { problem: '((0x1 - 0x4) >> 0x1)' }],
    [
      ['-0x2', 1, 1],
      ['-0X02', 1, 1],
      ['-2', 1, 0],
      ['-0b10', 1, 0],
      ['- 0x2', 0, 0],
      ['-02', 0, 0],
    ],
  ],
  [
    coinFlip,
    ['3.051757812e-05', {}],
    [
      ['3.051757812e-05', 1, 1],
      ['1/32768', 1, 1],
      ['0', 1, 0],
      ['0.0001', 1, 0],
      ['3', 1, 0],
      ['30', 0.5, 0],
      ['1 / 32768', 0, 0],
      ['1e400', null, 0],
      ['1/0', 0, 0],
    ],
  ],
  [
    timeIntervals,
    ['16:31:04.351', { task_type: 'time_ms' }],
    [
      ['16:31:04.351', 1, 1],
      ['16:31:4.351:9', 1, 0],
      ['17:31:04.351', 1 - 3600 / 86400, 0],
      ['16:31:04.3.5', 0, 0],
      [`0:0:0.${'9'.repeat(400)}`, null, 0],
    ],
  ],
  [
    timeIntervals,
    ['1 days, 02:00', { task_type: 'datetime' }],
    [
      ['1 days, 02:00', 1, 1],
      ['1 day, 02:00', 0, 1],
      ['0 days,26:0:0,', 1, 0],
      [`${'9'.repeat(400)} days, 0:0`, null, 0],
    ],
  ],
  [
    timeIntervals,
    ['89 days', { task_type: 'date' }],
    [
      ['89', 1, 0],
      ['8_9 days', 1, 0],
      ['90 days', 0.99, 0],
      ['89days', 0, 0],
    ],
  ],
  [
    numberFormat,
    ['25011730.212', { solution: 25011730.212 }],
    [
      ['25,011,730.212', 1, 1],
      ['2.501173021200000e+07', 1, 1],
      ['25011730.213', 1, 0],
      ['25_011_730.212', 1, 0],
      ['25011730.222', 1, 0],
      ['25011730.2221', 0, 0],
      ['nan', 0, 0],
    ],
  ],
  [
    dice,
    ['13/20', { puzzle: {} }],
    [
      ['13/20', 1, 1],
      ['13/\n20', 1, 0],
      [' 13/20 ', 0, 1],
      ['26/40', 0, 0],
    ],
  ],
  [
    calendarArithmetic,
    ['Sunday', { task: 'weekday_of_date' }],
    [
      ['Sunday', 1, 1],
      [' Sunday\n', 1, 1],
      ['SUNDAY', 0.05, 1],
      ['ſUNDAY', 0.05, 0],
      ['Monday', 0.1, 0],
      ['Sunday.', 0, 0],
    ],
  ],
  [
    calendarArithmetic,
    ['4', { task: 'count_days' }],
    [
      ['0_4', 1, 0],
      ['3', Math.exp(-5 / 4), 0],
      ['-4', Math.exp(-10), 0],
      ['4.0', 0, 0],
      ['9'.repeat(400), null, 0],
      ['9'.repeat(4301), 0, 0],
    ],
  ],
  [
    calendarArithmetic,
    ['-1', { task: 'recurring_event_day' }],
    [
      ['-1', 1, 1],
      ['-2', Math.exp(5), 0],
      ['999', null, 0],
    ],
  ],
  [
    calendarArithmetic,
    ['Yes', { task: 'is_leap_year' }],
    [
      [' yes ', 1, 1],
      ['Yes.', 0, 0],
    ],
  ],
];

describe('scores', () => {
  const rows = CASES.flatMap(([task, [answer, metadata], candidates]) =>
    candidates.map(([candidate, upstream, strict]) => ({
      label: `${task.name}: ${candidate.slice(0, 30)}`,
      grade: (mode: ScoringMode) => task.grade({ question: '', answer, metadata }, candidate, mode),
      upstream,
      strict,
    })),
  );

  it.each(rows)('$label', ({ grade, upstream, strict }) => {
    expect(grade('strict')).toBe(strict);
    if (upstream === null) expect(() => grade('upstream')).toThrow(/Error/);
    else expect(grade('upstream')).toBeCloseTo(upstream, 12);
  });
});
