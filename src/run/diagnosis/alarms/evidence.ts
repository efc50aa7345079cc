/** The latest steps of a run, in the numbers that diagnoses are judged by. */
import { comparesWithinGroups } from '../../settings/schema/advantage.ts';
import type { RunConfig } from '../../settings/schema/schema.ts';
import { mean, median } from '@rl-playground/base/statistics';
import type { StepMetrics } from '../../metrics/metrics.ts';

/** Steps that are looked back on, so that looking takes no longer however long the run is. */
const MEMORY = 2000;
/** Steps whose mean says how good a run was at best, once there are as many: it may be good for a moment only. */
const BEST = 3;
/** Steps whose mean says how it does now, likewise. */
export const NOW = 4;
/** The number of stretches up to which the best is taken as it is. The best of more stretches is good by luck, too. */
const UNCORRECTED = 10;
/** A normal distribution's standard deviation over the median size of the difference of two draws. */
const STD_PER_DIFFERENCE = 1.048;

/** A change between two stretches of steps, and what it is in standard errors: with few answers a step, luck alone moves means. */
export interface Change {
  readonly from: number;
  readonly to: number;
  /** (to − from) / its standard error. */
  readonly sigmas: number;
}

export interface Evidence {
  readonly config: RunConfig;
  /** Steps of the same levels of difficulty, the newest last; at least one. */
  readonly steps: readonly StepMetrics[];
  readonly latest: StepMetrics;
  /** Means over the latest NOW steps. */
  readonly accuracy: number;
  readonly format: number;
  readonly reward: number;
  readonly fracMixed: number;
  readonly truncated: number;
  /** Answers a step in groups whose rewards differ: those that a step learns from. */
  readonly mixedAnswers: number;
  readonly entropy: number | null;
  /** The rise from the first steps to the latest; the fall is from the best stretch to them. */
  readonly rewardRise: Change;
  readonly rewardFall: Change;
  readonly accuracyFall: Change;
  /** The change of the reward over the steps in which accuracy fell. */
  readonly rewardMeanwhile: Change;
  readonly formatFall: Change;
  readonly formatRise: Change;
  /** Mean length of the latest answers over that of the first. */
  readonly lengthRatio: number;
  /** The median norm of the latest gradients over that of the first step, before any update; null for a first one of 0. */
  readonly gradientRatio: number | null;
  /** The most that KL to the start ever rose in four steps and stayed for two, nats; null where it is not measured. */
  readonly klJump: number | null;
  /** Median of the latest KL to the start. */
  readonly kl: number | null;
  readonly groupCentred: boolean;
  /** Correlations of the steps' rewards with the form and with the length of their answers. */
  readonly rewardWithFormat: number;
  readonly rewardWithLength: number;
}

/** The newest steps that a curriculum asked at the levels of today: harder problems earn less, which is no fall. */
function sinceLevelsChanged(metrics: readonly StepMetrics[]): readonly StepMetrics[] {
  const levels = new Map<string, number | null>();
  const changed = metrics.findLastIndex(({ tasks }) =>
    tasks.some(({ task, level }) => {
      const later = levels.get(task);
      levels.set(task, later ?? level);
      return later !== undefined && later !== level;
    }),
  );
  return metrics.slice(changed + 1);
}

export type Measure = 'reward' | 'accuracy' | 'format';

/** Runs of before this was counted say it by their tokens. */
const answersOf = ({ completions, completionTokens, meanLength }: StepMetrics): number =>
  completions ?? Math.max(1, Math.round(completionTokens / Math.max(1, meanLength)));

/**
 * The variance of a step's mean. Answers to one problem are alike: between problems lies what the std of all rewards has beyond that within
 * groups, and a step has only so many problems. Rates are at least as unsure as one answer in a step makes them.
 */
export function stepVariance(step: StepMetrics, measure: Measure, groupSize: number): number {
  const { rewardStd, rewardGroupStd } = step;
  const completions = answersOf(step);
  const all = rewardStd ** 2;
  const within = Math.min(all, (rewardGroupStd ?? rewardStd) ** 2);
  const between = all === 0 ? 0 : (all - within) / all;
  const rate = Math.min(1 - 1 / completions, Math.max(1 / completions, step[measure]));
  const variance = measure === 'reward' ? all : rate * (1 - rate);
  return (variance * (1 + (groupSize - 1) * between)) / completions;
}

interface Stretch {
  readonly value: number;
  readonly variance: number;
}

function stretch(steps: readonly StepMetrics[], measure: Measure, groupSize: number): Stretch {
  const variances = steps.map((step) => stepVariance(step, measure, groupSize));
  return {
    value: mean(steps.map((step) => step[measure])),
    variance: mean(variances) / steps.length,
  };
}

/** The luck in one step's number, judged by how much steps differ: problems of a step may be easier than those of the next. */
function stepLuck(steps: readonly StepMetrics[], measure: Measure): number {
  const values = steps.map((step) => step[measure]);
  const differences = values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)));
  return differences.length === 0 ? 0 : (STD_PER_DIFFERENCE * median(differences)) ** 2;
}

/**
 * Standard errors by which the greatest of the means of so many stretches that do not overlap lies above what they have in common: the first term of the expected
 * maximum of n draws of a normal distribution, √(2 ln n), for the n beyond UNCORRECTED.
 */
const chosenByLuck = (stretches: number): number =>
  Math.sqrt(2 * Math.log(Math.max(1, stretches / UNCORRECTED)));

/** `chosen`: standard errors of `from` by which it was to be expected beyond the others because it was chosen among them. */
function change(from: Stretch, to: Stretch, luck: { from: number; to: number }, chosen: number): Change {
  const error = Math.sqrt(Math.max(from.variance + to.variance, luck.from + luck.to));
  const difference = to.value - from.value;
  const expected = chosen * Math.sqrt(Math.max(from.variance, luck.from));
  const beyond = Math.sign(difference) * Math.max(0, Math.abs(difference) - expected);
  return { from: from.value, to: to.value, sigmas: beyond === 0 ? 0 : beyond / error };
}

/** The stretch of `length` steps, begun at one of the first `starts`, that has the greatest mean; with `sign` −1 the least. */
function mostExtreme(
  steps: readonly StepMetrics[],
  measure: Measure,
  { length, starts }: { readonly length: number; readonly starts: number },
  sign: 1 | -1,
): readonly StepMetrics[] {
  let best = 0;
  let bestSum = -sign * Infinity;
  for (let from = 0; from < starts; from++) {
    let sum = 0;
    for (let i = from; i < from + length; i++) sum += steps[i]?.[measure] ?? 0;
    if (sign * (sum - bestSum) > 0) [best, bestSum] = [from, sum];
  }
  return steps.slice(best, best + length);
}

const meanOf = (steps: readonly StepMetrics[], value: (step: StepMetrics) => number): number =>
  mean(steps.map(value));

function jumpOf(kls: readonly number[]): number {
  const rises = kls.slice(1).map((kl, i) => Math.min(kl, kls[i] ?? kl) - (kls[Math.max(0, i - 3)] ?? 0));
  return Math.max(0, ...rises);
}

/** The evidence of a run's steps, or null if there are none. */
export function evidenceOf(metrics: readonly StepMetrics[], config: RunConfig): Evidence | null {
  const steps = sinceLevelsChanged(metrics.slice(-MEMORY));
  const latest = steps.at(-1);
  if (latest === undefined) return null;
  const nowSteps = Math.min(NOW, Math.ceil(steps.length / 2));
  const bestSteps = Math.max(1, Math.min(BEST, steps.length - nowSteps));
  const now = steps.slice(-nowSteps);
  const first = steps.slice(0, bestSteps);
  const size = config.rolloutsPerProblem;
  const lucks = {
    reward: stepLuck(steps, 'reward'),
    accuracy: stepLuck(steps, 'accuracy'),
    format: stepLuck(steps, 'format'),
  };
  const changed = (measure: Measure, from: readonly StepMetrics[], chosen = 0): Change => {
    const luck = lucks[measure];
    const ofStretches = { from: luck / bestSteps, to: luck / nowSteps };
    return change(stretch(from, measure, size), stretch(now, measure, size), ofStretches, chosen);
  };
  const chosen = chosenByLuck(steps.length / bestSteps);
  const before = { length: bestSteps, starts: Math.max(1, steps.length - nowSteps - bestSteps + 1) };
  const most = (measure: Measure, sign: 1 | -1 = 1): readonly StepMetrics[] =>
    mostExtreme(steps, measure, before, sign);
  const mostRight = most('accuracy');
  const gradients = steps.map((step) => step.gradNormMax ?? 0);
  const kls = steps.flatMap((step) => step.kl ?? []);
  const klKnown = kls.length === steps.length;
  const entropies = now.flatMap((step) => step.entropy ?? []);
  const rewards = steps.map((step) => step.reward);
  return {
    config,
    steps,
    latest,
    accuracy: meanOf(now, (step) => step.accuracy),
    format: meanOf(now, (step) => step.format),
    reward: meanOf(now, (step) => step.reward),
    fracMixed: meanOf(now, (step) => step.fracMixed),
    truncated: meanOf(now, (step) => step.truncated),
    mixedAnswers: meanOf(now, (step) => step.fracMixed * answersOf(step)),
    entropy: entropies.length === 0 ? null : mean(entropies),
    rewardRise: changed('reward', first),
    rewardFall: changed('reward', most('reward'), chosen),
    accuracyFall: changed('accuracy', mostRight, chosen),
    rewardMeanwhile: changed('reward', mostRight),
    formatFall: changed('format', most('format'), chosen),
    formatRise: changed('format', most('format', -1), chosen),
    lengthRatio:
      meanOf(now, (step) => step.meanLength) /
      Math.max(
        1,
        meanOf(first, (step) => step.meanLength),
      ),
    gradientRatio: gradients[0] ? median(gradients.slice(-NOW)) / gradients[0] : null,
    klJump: klKnown ? jumpOf(kls) : null,
    kl: klKnown ? median(kls.slice(-NOW)) : null,
    groupCentred: comparesWithinGroups(config),
    rewardWithFormat: correlation(
      rewards,
      steps.map((step) => step.format),
    ),
    rewardWithLength: correlation(
      rewards,
      steps.map((step) => step.meanLength),
    ),
  };
}

/** Pearson's; 0 where one of the two does not vary. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  const sum = (product: (i: number) => number): number => a.reduce((total, _, i) => total + product(i), 0);
  const da = (i: number): number => (a[i] ?? meanA) - meanA;
  const db = (i: number): number => (b[i] ?? meanB) - meanB;
  const spread = Math.sqrt(sum((i) => da(i) ** 2) * sum((i) => db(i) ** 2));
  return spread === 0 ? 0 : sum((i) => da(i) * db(i)) / spread;
}
