import { describe, expect, test } from 'vitest';
import { readSweep, writeSweep, type SweepEvaluation, type SweepRun } from './sweepFile.ts';
import { sweepTable } from './sweepTable.ts';

const evaluation = (sampled: number, greedy: number, pass: number): SweepEvaluation => ({
  accuracy: sampled,
  format: 1,
  n: 10,
  temperature: 1,
  greedy: { accuracy: greedy, format: 1 },
  passAtK: { k: 8, accuracy: pass },
});

const run = (
  seed: number,
  rate: number,
  before: number | null,
  after: number,
  collapse: string | null = null,
): SweepRun => ({
  name: `gcd-${rate}-seed${seed}`,
  task: 'gcd',
  seed,
  settings: { learningRate: rate },
  error: null,
  record:
    before === null
      ? null
      : {
          task: 'gcd',
          seed,
          steps: 2,
          evalBefore: evaluation(before, before / 2, 1),
          evalAfter: evaluation(after, after / 2, 1),
          collapse,
          curve: [{ step: 1, reward: 0, accuracy: 0, format: 0, kl: null }],
          wallSeconds: 3,
        },
});

describe('the table of a sweep', () => {
  const runs = [
    run(0, 0.1, 0.2, 0.5),
    run(1, 0.1, 0.4, 0.6, 'The learning rate is too high'),
    run(2, 0.1, 0.3, 0.7),
    run(0, 0.2, 0.1, 0.1),
    run(1, 0.2, null, 0),
  ];
  const [first, second] = sweepTable({ runs });

  test('has means over seeds, and intervals by Student’s t', () => {
    expect(first).toMatchObject({ task: 'gcd', settings: { learningRate: 0.1 }, n: 3, alarmed: 1, k: 8 });
    const { before, after, rise } = first?.sampled ?? {};
    expect(before?.mean).toBeCloseTo(0.3, 12);
    expect(after?.mean).toBeCloseTo(0.6, 12);
    expect(rise?.mean).toBeCloseTo(0.3, 12);
    // Rises 0.3, 0.2, 0.4: standard deviation 0.1; t of two degrees of freedom 4.30265.
    expect(rise?.interval?.half).toBeCloseTo((4.30265 * 0.1) / Math.sqrt(3), 6);
    expect(first?.greedy.after?.mean).toBeCloseTo(0.3, 12);
    expect(first?.passAtK.rise?.interval?.half).toBe(0);
  });

  test('counts the runs that have ended, and gives no interval of a single seed', () => {
    expect(second).toMatchObject({ n: 1, alarmed: 0, runs: ['gcd-0.2-seed0', 'gcd-0.2-seed1'] });
    expect(second?.sampled.after).toEqual({ mean: 0.1, interval: null });
  });

  test('is the same of what is written and read again', () => {
    const text = writeSweep({ axes: ['learningRate'], grid: '{}', runs });
    expect(sweepTable(readSweep(text))).toEqual([first, second]);
  });

  test.each([
    ['no JSON', '{'],
    ['another format', '{"format_version":2,"axes":[],"grid":"","runs":[]}'],
    [
      'a name that leads out of the folder',
      writeSweep({ axes: [], grid: '', runs: [{ ...run(0, 1, 0, 0), name: '../x' }] }),
    ],
  ])('%s is refused in a sentence', (_, text) => {
    expect(() => readSweep(text)).toThrow(/no sweep\.json that npx rl-playground sweep wrote/);
  });
});
