import { describe, expect, test } from 'vitest';
import { generatorsThatPay, payoffText, stepSeconds, workOf, type StepWork } from './payoff.ts';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';

const side: StepWork = { generating: 12, training: 1.6, takeTurns: false };
const turns: StepWork = { ...side, takeTurns: true };

describe('how many generators pay', () => {
  test('side by side: as many as it takes until the trainer is the slower', () => {
    // 12 / 7 = 1.714 s, 12 / 8 = 1.5 s: the eighth takes a step from 1.714 to the trainer's 1.6, which is 6.7 %.
    expect(generatorsThatPay(side)).toBe(8);
    expect(stepSeconds(side, 7)).toBeCloseTo(12 / 7, 12);
    expect(stepSeconds(side, 8)).toBe(1.6);
    // 12 / 1.65 = 7.27: from the seventh (1.714) to 1.65 it is 3.7 %.
    expect(generatorsThatPay({ ...side, training: 1.65 })).toBe(7);
  });

  test('in turns: until one more saves less than a twentieth', () => {
    // n = 8: 12/8 + 1.6 = 3.1; n = 9: 2.933, 5.4 % less; n = 10: 2.8, 4.5 % less.
    expect(generatorsThatPay(turns)).toBe(9);
    expect(stepSeconds(turns, 9)).toBeCloseTo(12 / 9 + 1.6, 12);
  });

  test('one, where training is all that there is', () => {
    expect(generatorsThatPay({ generating: 0.1, training: 5, takeTurns: true })).toBe(1);
    expect(generatorsThatPay({ generating: 0.1, training: 5, takeTurns: false })).toBe(1);
  });

  test('is read off the last steps of a run, and said in a sentence', () => {
    const steps = [9, 12, 12].map((generatorsBusy, i) => ({
      ...stepMetricsWith({ step: i + 1 }),
      generatorsBusy,
      trainerBusy: 1.6,
    }));
    const work = workOf(steps, 'async');
    expect(work).toEqual({ generating: 11, training: expect.closeTo(1.6, 12) as number, takeTurns: false });
    expect(work && payoffText(work)).toMatch(
      /11 s of generating and 1\.6 s of training.*up to 7 generators.*takes 1\.6 s, with one 11 s/,
    );
    expect(workOf([], 'sync')).toBeNull();
  });
});
