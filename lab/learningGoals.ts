/** The goals of a default run from a bundled model, and the check of a run against them. */
import { z } from 'zod';
import { newcombe95 } from '@rl-playground/base/intervals';
import type { EvalResult } from '@rl-playground/run/loop';

/** An evaluation of `n` held-out problems. */
const evaluation = z.object({
  accuracy: z.number(),
  format: z.number(),
  n: z.number(),
  greedy: z.object({ accuracy: z.number(), format: z.number() }),
  passAtK: z.object({ k: z.number(), accuracy: z.number() }).optional(),
  /** The right answers whose working is wrong, among those that show working. */
  wrongWorking: z.object({ share: z.number(), n: z.number() }).optional(),
});
/** The fields of a `train --json` record that the tables of runs and their goals use. */
export const resultSchema = z.object({
  task: z.string(),
  adapter: z.string(),
  seed: z.number(),
  steps: z.number(),
  evalBefore: evaluation,
  evalAfter: evaluation,
  gains: z.object({ verdict: z.string().nullable() }),
  curve: z.array(z.object({ kl: z.number().nullable() })),
  /** The first trouble in a step; null if there was none. */
  collapse: z.string().nullable(),
  wallSeconds: z.number(),
});
export type Result = z.infer<typeof resultSchema>;
export type Measured = z.infer<typeof evaluation>;
export type Outcome = Pick<Result, 'task' | 'evalBefore' | 'evalAfter' | 'wallSeconds' | 'collapse'>;

/**
 * The goals of tasks whose start has a gap to close: where they must begin and end, for which share of the answers in the asked form, and
 * in how many minutes on two cores.
 */
const GAP = {
  tasks: ['reverse_digits', 'sum_digits'],
  greedy: { before: 0.7, after: 0.9 },
  sampled: { before: 0.6, after: 0.88 },
  format: 0.95,
  minutes: 6,
};

/** Every other task: greedy accuracy must rise by as much, and with 95 % confidence by more than that. */
const RISE = 0.15;
const SURE_RISE = 0.05;

/** A run guessed if so large a share of its right answers has wrong working. */
const GUESSED = 0.5;

/**
 * Lower end of the 95 % interval of the rise of greedy accuracy, as if the two were of different problems. Both evaluations ask the same
 * ones, which makes the true interval narrower.
 */
export function surelyRisen(before: Measured, after: Measured): number {
  return newcombe95(before.greedy.accuracy, before.n, after.greedy.accuracy, after.n)?.low ?? NaN;
}

type Shown = Pick<EvalResult, 'accuracy' | 'format' | 'greedy' | 'passAtK'>;

const EVALUATION_HEADS = ['sampled', 'greedy', 'pass@k', 'format'] as const;

/** The cells before → after, as shares; a dash if one of the two is missing. */
export function evaluationCells(before: Shown, after: Shown): string[] {
  const arrow = (first: number | undefined, last: number | undefined): string =>
    first === undefined || last === undefined ? '–' : `${first.toFixed(3)} → ${last.toFixed(3)}`;
  const k = before.passAtK?.k === after.passAtK?.k ? after.passAtK?.k : undefined;
  return [
    arrow(before.accuracy, after.accuracy),
    arrow(before.greedy?.accuracy, after.greedy?.accuracy),
    k === undefined ? '–' : `${arrow(before.passAtK?.accuracy, after.passAtK?.accuracy)} (k ${k})`,
    arrow(before.format, after.format),
  ];
}

/** The heads of a run's columns, and its cells. */
export const RESULT_HEADS = [
  'steps',
  ...EVALUATION_HEADS,
  'right, wrong working',
  'learning',
  'greedy rise, 95 % at least',
];
const guessed = ({ wrongWorking }: Measured): string => wrongWorking?.share.toFixed(2) ?? '–';
export const resultCells = ({ steps, evalBefore, evalAfter, gains }: Result): (string | number)[] => [
  steps,
  ...evaluationCells(evalBefore, evalAfter),
  `${guessed(evalBefore)} → ${guessed(evalAfter)}`,
  gains.verdict ?? '–',
  surelyRisen(evalBefore, evalAfter).toFixed(3),
];

/** The missed goals in words; empty if the run reached all. */
export function shortfalls({
  task,
  evalBefore: before,
  evalAfter: after,
  wallSeconds,
  collapse,
}: Outcome): string[] {
  const { greedy, sampled, format, minutes } = GAP;
  const checks: [boolean, string][] = GAP.tasks.includes(task)
    ? [
        [before.greedy.accuracy <= greedy.before, `greedy before above ${greedy.before}`],
        [before.accuracy <= sampled.before, `sampled before above ${sampled.before}`],
        [after.greedy.accuracy >= greedy.after, `greedy after below ${greedy.after}`],
        [after.accuracy >= sampled.after, `sampled after below ${sampled.after}`],
        [after.format >= format, `format after below ${format}`],
        [wallSeconds <= 60 * minutes, `slower than ${minutes} minutes`],
      ]
    : [
        [after.greedy.accuracy - before.greedy.accuracy >= RISE, `greedy rose by less than ${RISE}`],
        [surelyRisen(before, after) > SURE_RISE, `not surely by ${SURE_RISE}`],
      ];
  checks.push([!((after.wrongWorking?.share ?? 0) >= GUESSED), 'most right answers have wrong working']);
  checks.push([collapse === null, `on the way: ${collapse}`]);
  return checks.filter(([reached]) => !reached).map(([, words]) => words);
}
