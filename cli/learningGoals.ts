/** What a default run from a bundled model must reach, and what falls short of it. */
import { wilson95 } from '../src/base/intervals.ts';

export interface Shares {
  readonly accuracy: number;
  readonly format: number;
  readonly n: number;
}

export interface Outcome {
  readonly task: string;
  readonly evalBefore: Shares;
  readonly evalAfter: Shares;
  readonly wallSeconds: number;
}

/** The digit tasks: where they must begin and end, in how many minutes on two cores. */
const DIGIT_GOALS: Readonly<Record<string, { before: number; after: number; minutes: number }>> = {
  reverse_digits: { before: 0.6, after: 0.9, minutes: 10 },
  sum_digits: { before: 0.7, after: 0.85, minutes: 22 },
};
const DIGIT_FORMAT = { before: 0.7, after: 0.95 };

/** Every other task: accuracy must rise by as much, and with 95 % confidence by more than that. */
const RISE = 0.1;
const SURE_RISE = 0.03;

/**
 * Lower end of Newcombe's 95 % interval (hybrid score, method 10 of his paper of 1998) of the difference of two independent
 * shares. Both evaluations ask the same problems, which makes the true interval narrower.
 */
export function surelyRisen(before: Shares, after: Shares): number {
  const difference = after.accuracy - before.accuracy;
  const low = wilson95(after.accuracy, after.n)?.low ?? NaN;
  const high = wilson95(before.accuracy, before.n)?.high ?? NaN;
  return difference - Math.hypot(after.accuracy - low, high - before.accuracy);
}

/** What falls short, in words; empty where the run did all it must. */
export function shortfalls({ task, evalBefore, evalAfter, wallSeconds }: Outcome): string[] {
  const goal = DIGIT_GOALS[task];
  const checks: [boolean, string][] = goal
    ? [
        [evalBefore.accuracy <= goal.before, `accuracy before above ${goal.before}`],
        [evalBefore.format <= DIGIT_FORMAT.before, `format before above ${DIGIT_FORMAT.before}`],
        [evalAfter.accuracy >= goal.after, `accuracy after below ${goal.after}`],
        [evalAfter.format >= DIGIT_FORMAT.after, `format after below ${DIGIT_FORMAT.after}`],
        [wallSeconds <= 60 * goal.minutes, `slower than ${goal.minutes} minutes`],
      ]
    : [
        [evalAfter.accuracy - evalBefore.accuracy >= RISE, `rose by less than ${RISE}`],
        [surelyRisen(evalBefore, evalAfter) > SURE_RISE, `not surely by ${SURE_RISE}`],
      ];
  return checks.filter(([reached]) => !reached).map(([, words]) => words);
}
