import { describe, expect, it, test } from 'vitest';
import { evaluationCells, shortfalls, surelyRisen, type Measured } from './learningGoals.ts';

const measured = (sampled: number, greedy = sampled, n = 300, format = 1): Measured => ({
  accuracy: sampled,
  format,
  n,
  greedy: { accuracy: greedy, format },
});

describe('the lower bound of a rise', () => {
  // Newcombe 1998, table II, method 10: 56/70 − 48/80 has the interval 0.0524 to 0.3339.
  it('is the one of the paper, of greedy accuracy', () => {
    expect(surelyRisen(measured(0, 48 / 80, 80), measured(1, 56 / 70, 70))).toBeCloseTo(0.0524, 4);
    expect(surelyRisen(measured(0, 3 / 10, 10), measured(1, 9 / 10, 10))).toBeCloseTo(0.1705, 4);
  });

  it('is below zero where nothing rose', () => {
    expect(surelyRisen(measured(0.5), measured(0.5))).toBeLessThan(0);
  });
});

test('sampled, greedy and pass@k stand side by side, and a dash where one of the two is missing', () => {
  const before = { ...measured(0.2, 0.4), passAtK: { k: 4, accuracy: 0.9 } };
  const after = { ...measured(0.8, 0.9), passAtK: { k: 4, accuracy: 0.9 } };
  expect(evaluationCells(before, after)).toEqual([
    '0.200 → 0.800',
    '0.400 → 0.900',
    '0.900 → 0.900 (k 4)',
    '1.000 → 1.000',
  ]);
  expect(evaluationCells({ accuracy: 0.5, format: 1 }, after).slice(0, 3)).toEqual([
    '0.500 → 0.800',
    '–',
    '–',
  ]);
});

describe('shortfalls', () => {
  const outcome = (task: string, evalBefore: Measured, evalAfter: Measured) => ({
    task,
    evalBefore,
    evalAfter,
    wallSeconds: 60,
    collapse: null,
  });

  it.each([
    [0.5, 0.7, []],
    [0.5, 0.6, ['greedy rose by less than 0.15', 'not surely by 0.05']],
    [0.9, 0.97, ['greedy rose by less than 0.15', 'not surely by 0.05']],
    [0.8, 0.94, ['greedy rose by less than 0.15']],
  ])('greedy from %f to %f: %j', (before, after, expected) => {
    expect(shortfalls(outcome('chain_sum', measured(0.1, before), measured(0.1, after)))).toEqual(expected);
  });

  it('name a run that guessed, however far it rose', () => {
    const guessed = { ...measured(0.8, 0.9), wrongWorking: { share: 0.5, n: 200 } };
    expect(shortfalls(outcome('gcd', measured(0.3, 0.4), guessed))).toEqual([
      'most right answers have wrong working',
    ]);
  });

  it('holds the digit tasks to where they begin and end', () => {
    const reached = outcome('reverse_digits', measured(0.6, 0.7, 300, 0.4), measured(0.88, 0.9));
    expect(shortfalls(reached)).toEqual([]);
    const missed = outcome('sum_digits', measured(0.61, 0.71), measured(0.87, 0.89, 300, 0.94));
    expect(shortfalls({ ...missed, wallSeconds: 361, collapse: 'The run has collapsed' })).toEqual([
      'greedy before above 0.7',
      'sampled before above 0.6',
      'greedy after below 0.9',
      'sampled after below 0.88',
      'format after below 0.95',
      'slower than 6 minutes',
      'on the way: The run has collapsed',
    ]);
  });
});
