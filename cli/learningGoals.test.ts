import { describe, expect, it } from 'vitest';
import { shortfalls, surelyRisen } from './learningGoals.ts';

const shares = (accuracy: number, n = 300, format = 1) => ({ accuracy, format, n });

describe('the lower bound of a rise', () => {
  // Newcombe 1998, table II, method 10: 56/70 − 48/80 has the interval 0.0524 to 0.3339.
  it('is the one of the paper', () => {
    expect(surelyRisen(shares(48 / 80, 80), shares(56 / 70, 70))).toBeCloseTo(0.0524, 4);
    expect(surelyRisen(shares(3 / 10, 10), shares(9 / 10, 10))).toBeCloseTo(0.1705, 4);
  });

  it('is below zero where nothing rose', () => {
    expect(surelyRisen(shares(0.5), shares(0.5))).toBeLessThan(0);
  });
});

describe('shortfalls', () => {
  const run = (task: string, before: number, after: number, wallSeconds = 60) =>
    shortfalls({ task, evalBefore: shares(before), evalAfter: shares(after), wallSeconds });

  it.each([
    [0.5, 0.7, []],
    [0.5, 0.58, ['rose by less than 0.1', 'not surely by 0.03']],
    [0.5, 0.605, ['not surely by 0.03']],
    [0.9, 0.99, ['rose by less than 0.1']],
  ])('from %f to %f: %j', (before, after, expected) => {
    expect(run('chain_sum', before, after)).toEqual(expected);
  });

  it('holds the digit tasks to where they begin and end', () => {
    expect(run('reverse_digits', 0.7, 0.8, 700)).toEqual([
      'accuracy before above 0.6',
      'format before above 0.7',
      'accuracy after below 0.9',
      'slower than 10 minutes',
    ]);
  });
});
