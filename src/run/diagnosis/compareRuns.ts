/**
 * A comparison of two settings by the results of their runs. Between runs of several seeds the spread over the seeds decides: Welch's
 * interval, or the paired one if both have the same seeds. Between single runs the held-out problems decide, whatever other seeds would do.
 */
import { newcombe95, pairedInterval95, type Interval } from '@rl-playground/base/intervals';
import { mean, standardDeviation } from '@rl-playground/base/statistics';
import { headlineOf } from '../loop/accuracies.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { StepMetrics } from '../metrics/metrics.ts';

/** A run of one seed, evaluated behind its last step. */
export interface RunOutcome {
  readonly seed: number;
  readonly evaluation: EvalResult;
}

/** Runs of the same settings. */
export type Outcomes = readonly RunOutcome[];

export interface Difference {
  /** Share of right answers: of the second less that of the first. */
  readonly difference: number;
  /** 95 %; null where there is nothing to take one of. */
  readonly interval: Interval | null;
  /** The thing that varies: seeds, the same seeds in both, the same problems in both, or the problems alone. */
  readonly over: 'seeds' | 'paired seeds' | 'same problems' | 'problems';
}

/** The things that vary, in words. */
export const OVER: Readonly<Record<Difference['over'], string>> = {
  seeds: 'over seeds',
  'paired seeds': 'paired, over the same seeds',
  'same problems': 'paired, over the same problems; other seeds may come out otherwise',
  problems: 'over problems; other seeds may come out otherwise',
};

interface MeasuredRun {
  readonly config: { readonly seed: number };
  readonly metrics: readonly Pick<StepMetrics, 'step'>[];
  readonly evaluations: readonly EvalResult[];
}

/** The last step that a run has made. */
const lastStepOf = ({ metrics }: Pick<MeasuredRun, 'metrics'>): number => metrics.at(-1)?.step ?? 0;

/** The runs that were evaluated before they began and behind their last step. An evaluation on the way is no result of a run. */
export const outcomesOf = (runs: readonly MeasuredRun[]): Outcomes =>
  runs.flatMap((run) => {
    const [first] = run.evaluations;
    const end = lastStepOf(run);
    const evaluation = run.evaluations.findLast(({ step }) => step === end);
    return first && evaluation && first.step < end ? [{ seed: run.config.seed, evaluation }] : [];
  });

/** 97.5 % points of Student's t by degrees of freedom, from 1 to 30. */
const T_975 = [
  12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814, 2.20099, 2.17881,
  2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596, 2.07961, 2.07387, 2.06866, 2.0639,
  2.05954, 2.05553, 2.05183, 2.04841, 2.04523, 2.04227,
] as const;

/** The value for as many whole degrees of freedom as there are, so that an interval is rather too wide. */
export function t975(degrees: number): number {
  return T_975[Math.min(T_975.length, Math.max(1, Math.floor(degrees))) - 1] ?? NaN;
}

const around = (centre: number, half: number): Interval => ({
  low: centre - half,
  high: centre + half,
  half,
});

/** Seeds that an interval over them needs: of two, Student's t knows next to nothing. */
const FEWEST_SEEDS = 3;

/** The interval of the mean over several seeds, by Student's t; null for fewer than three. */
export function seedInterval95(values: readonly number[]): Interval | null {
  if (values.length < FEWEST_SEEDS) return null;
  return around(
    mean(values),
    (t975(values.length - 1) * standardDeviation(values)) / Math.sqrt(values.length),
  );
}

/** The same for shares, within 0 and 1. */
export function seedShares95(shares: readonly number[]): Interval | null {
  const interval = seedInterval95(shares);
  return interval && { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) };
}

/** The accuracy by which the run is named. */
const shareOf = ({ evaluation }: RunOutcome): number => headlineOf(evaluation).share;

/** Welch's interval of b − a, with Satterthwaite's degrees of freedom. */
function welch95(a: readonly number[], b: readonly number[]): Interval {
  const [va, vb] = [standardDeviation(a) ** 2 / a.length, standardDeviation(b) ** 2 / b.length];
  const centre = mean(b) - mean(a);
  if (va + vb === 0) return around(centre, 0);
  const degrees = (va + vb) ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  return around(centre, t975(degrees) * Math.sqrt(va + vb));
}

/** Differences by seed, for seeds that both have; null unless they have the same. */
function bySeed(a: Outcomes, b: Outcomes): number[] | null {
  const later = new Map(b.map((run) => [run.seed, shareOf(run)]));
  const differences = a.flatMap((run) => {
    const other = later.get(run.seed);
    return other === undefined ? [] : [other - shareOf(run)];
  });
  return differences.length === a.length && a.length === b.length ? differences : null;
}

/** Differences by problem; null unless both asked the same ones. */
function byProblem(a: EvalResult, b: EvalResult): number[] | null {
  const right = ({ correct, greedy }: EvalResult['samples'][number]): number =>
    Number(greedy?.correct ?? correct);
  const differences = a.samples.flatMap((sample, i) => {
    const other = b.samples[i];
    return other?.question === sample.question && other.answer === sample.answer
      ? [right(other) - right(sample)]
      : [];
  });
  return differences.length === a.n && a.n === b.n && a.n > 0 ? differences : null;
}

/** The result of an arm in words: "greedy 74.0% (62.1–85.9) at step 150", with the interval over seeds if there is one. */
export function resultText(runs: readonly MeasuredRun[]): string {
  const outcomes = outcomesOf(runs);
  const steps = [...new Set(runs.map(lastStepOf))].join(', ');
  if (outcomes.length < runs.length) return `not evaluated both before and behind its last step, ${steps}`;
  const shares = outcomes.map(shareOf);
  const interval = seedShares95(shares);
  const percent = (share: number): string => (100 * share).toFixed(1);
  const ends = interval && ` (${percent(interval.low)}–${percent(interval.high)})`;
  const kinds = [...new Set(outcomes.map(({ evaluation }) => headlineOf(evaluation).kind))].join(' and ');
  return `${kinds} ${percent(mean(shares))}%${ends ?? ''} at step ${steps}`;
}

/** The words in place of a difference that can't be told. */
export const NO_VERDICT = 'no verdict: both need evaluations before the run and behind the same last step';

/** The difference between two arms; null where one has no outcome, or where the runs ended at different steps. */
export function differenceBetween(a: Outcomes, b: Outcomes): Difference | null {
  const [first, second] = [a[0], b[0]];
  const ends = new Set([...a, ...b].map(({ evaluation }) => evaluation.step));
  if (!first || !second || ends.size > 1) return null;
  const [before, after] = [a.map(shareOf), b.map(shareOf)];
  const difference = mean(after) - mean(before);
  if (a.length >= FEWEST_SEEDS && b.length >= FEWEST_SEEDS) {
    const paired = bySeed(a, b);
    return paired
      ? { difference, interval: seedInterval95(paired), over: 'paired seeds' }
      : { difference, interval: welch95(before, after), over: 'seeds' };
  }
  const problems = a.length === 1 && b.length === 1 ? byProblem(first.evaluation, second.evaluation) : null;
  if (problems) return { difference, interval: pairedInterval95(problems), over: 'same problems' };
  const asked = (runs: Outcomes): number => runs.reduce((sum, { evaluation }) => sum + evaluation.n, 0);
  return {
    difference,
    interval: newcombe95(mean(before), asked(a), mean(after), asked(b)),
    over: 'problems',
  };
}

/** True if the interval of the difference leaves out 0. */
export function isDistinguishable({ interval }: Difference): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}
