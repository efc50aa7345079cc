import { describe, expect, it } from 'vitest';
import { drawsFor, uniformInt } from '@rl-playground/base/random';
import seedRuns from '../testing/seedRuns.json' with { type: 'json' };
import type { EvalResult } from '../loop/evaluate.ts';
import {
  differenceBetween,
  isDistinguishable,
  outcomesOf,
  seedInterval95,
  seedShares95,
  t975,
  type Outcomes,
} from './compareRuns.ts';

const evaluation = (share: number, n = 100, samples: EvalResult['samples'] = []): EvalResult => ({
  step: 80,
  accuracy: share,
  format: 1,
  n,
  tasks: [],
  temperature: 0,
  seconds: 1,
  samples,
});

const outcomes = (...runs: readonly (readonly [seed: number, share: number])[]): Outcomes =>
  runs.map(([seed, share]) => ({ seed, evaluation: evaluation(share) }));

const recorded = (rate: keyof typeof seedRuns.runs): Outcomes =>
  outcomes(...seedRuns.runs[rate].map(([seed = 0, share = NaN]) => [seed, share] as const));

/** So many of `runs`, drawn without replacement. */
function shuffled(runs: Outcomes, stream: number): Outcomes {
  const draw = drawsFor(17, stream);
  const left = [...runs];
  return runs.flatMap(() => left.splice(uniformInt(draw, 0, left.length - 1), 1));
}

describe('intervals over seeds', () => {
  it('are Student’s', () => {
    // t(0.975, 2) = 4.302653, s = 0.1, n = 3.
    const interval = seedInterval95([0.4, 0.5, 0.6]);
    expect(interval?.half).toBeCloseTo((4.302653 * 0.1) / Math.sqrt(3), 5);
    expect(seedInterval95([0.5])).toBeNull();
    // Of two seeds Student's t says only that the mean is somewhere: 0.74 ± 1.53.
    expect(seedInterval95([0.62, 0.86])).toBeNull();
    expect(t975(2.9)).toBe(t975(2));
    expect(t975(500)).toBeCloseTo(2.042, 3);
  });

  it('of a difference are Welch’s, and by seed where both have the same', () => {
    // Means 2 and 4, variances 1 and 4 over 3: half = t(0.975, 2.94 → 2) · √(1/3 + 4/3).
    const welch = differenceBetween(
      outcomes([1, 0.1], [2, 0.2], [3, 0.3]),
      outcomes([4, 0.2], [5, 0.4], [6, 0.6]),
    );
    expect(welch).toMatchObject({ over: 'seeds' });
    expect(welch?.difference).toBeCloseTo(0.2, 12);
    expect(welch?.interval?.half).toBeCloseTo(4.30265 * 0.1 * Math.sqrt(5 / 3), 4);
    const paired = differenceBetween(
      outcomes([1, 0.1], [2, 0.2], [3, 0.3]),
      outcomes([3, 0.42], [1, 0.2], [2, 0.3]),
    );
    expect(paired).toMatchObject({ over: 'paired seeds' });
    expect(paired && isDistinguishable(paired)).toBe(true);
  });
});

describe('results', () => {
  const at = (step: number, share: number): EvalResult => ({ ...evaluation(share), step });
  const run = (steps: number, ...evaluations: readonly EvalResult[]) => ({
    config: { seed: 1 },
    metrics: Array.from({ length: steps }, (_, i) => ({ step: i + 1 })),
    evaluations,
  });

  it('are of a run’s last step, and of runs that were evaluated before it, too', () => {
    expect(outcomesOf([run(9, at(0, 0.69), at(9, 0.8))])).toMatchObject([{ evaluation: { step: 9 } }]);
    // It was stopped, ruined, at step 9, and its only evaluation is that of the model before it.
    expect(outcomesOf([run(9, at(0, 0.69))])).toEqual([]);
    expect(outcomesOf([run(9, at(0, 0.69), at(5, 0.7))])).toEqual([]);
    expect(outcomesOf([run(9, at(9, 0.7))])).toEqual([]);
  });

  it('of different steps are not compared', () => {
    const [short, long] = [run(5, at(0, 0.6), at(5, 0.7)), run(9, at(0, 0.6), at(9, 0.9))];
    expect(differenceBetween(outcomesOf([short]), outcomesOf([long]))).toBeNull();
    expect(differenceBetween(outcomesOf([long]), outcomesOf([long]))?.difference).toBe(0);
  });

  it('as shares have intervals within 0 and 1', () => {
    const interval = seedShares95([0.9, 0.95, 1]);
    expect(interval?.low).toBeCloseTo(0.95 - (4.30265 * 0.05) / Math.sqrt(3), 5);
    expect(interval?.high).toBe(1);
  });
});

describe('single runs', () => {
  const sample = (question: string, correct: boolean): EvalResult['samples'][number] => ({
    task: 'reverse_digits',
    question,
    answer: '1',
    text: '',
    extracted: null,
    correct,
    format: true,
  });
  const asked = (rights: readonly boolean[]) =>
    evaluation(
      rights.filter(Boolean).length / rights.length,
      rights.length,
      rights.map((right, i) => sample(`q${i}`, right)),
    );

  it('are compared problem by problem where both were asked the same', () => {
    const few = asked(Array.from({ length: 50 }, (_, i) => i < 20));
    const many = asked(Array.from({ length: 50 }, (_, i) => i < 40));
    const found = differenceBetween([{ seed: 1, evaluation: few }], [{ seed: 1, evaluation: many }]);
    expect(found).toMatchObject({ over: 'same problems' });
    expect(found && isDistinguishable(found)).toBe(true);
    const same = differenceBetween([{ seed: 1, evaluation: few }], [{ seed: 2, evaluation: few }]);
    expect(same && isDistinguishable(same)).toBe(false);
  });

  it('are compared by the shares where they were not: Newcombe’s interval of 56/70 and 48/80', () => {
    const found = differenceBetween(
      [{ seed: 1, evaluation: evaluation(48 / 80, 80) }],
      [{ seed: 2, evaluation: evaluation(56 / 70, 70) }],
    );
    // Newcombe (1998), table II, example (a), method 10: 0.0524 to 0.3339.
    expect(found?.interval?.low).toBeCloseTo(0.0524, 4);
    expect(found?.interval?.high).toBeCloseTo(0.3339, 4);
    expect(differenceBetween([], outcomes([1, 1]))).toBeNull();
  });
});

describe('recorded runs', () => {
  it('of the same settings are called different in 4 of 40 pairs of three seeds at most', () => {
    const runs = recorded('0.0003');
    const different = Array.from({ length: 40 }, (_, i) => {
      const mixed = shuffled(runs, i);
      const found = differenceBetween(mixed.slice(0, 3), mixed.slice(3, 6));
      return found !== null && isDistinguishable(found);
    });
    expect(different.filter(Boolean).length).toBeLessThanOrEqual(4);
  });

  it('of the same settings, one against one, are called different in a tenth of the 78 pairs at most', () => {
    const runs = recorded('0.0003');
    const pairs = runs.flatMap((one, i) =>
      runs.slice(i + 1).map((other) => differenceBetween([one], [other])),
    );
    expect(pairs).toHaveLength(78);
    expect(pairs.filter((found) => found !== null && isDistinguishable(found)).length).toBeLessThanOrEqual(7);
  });

  it('of a learning rate of 3e-4 and of 3e-5 are called different', () => {
    const slow = recorded('3e-05');
    for (let i = 0; i < 40; i++) {
      const found = differenceBetween(slow, shuffled(recorded('0.0003'), i).slice(0, 3));
      expect(found && isDistinguishable(found)).toBe(true);
      expect(found?.difference).toBeGreaterThan(0);
    }
  });
});
