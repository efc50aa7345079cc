/** What the four main charts draw, in which unit, and what it means. */
import type { MetricKey, StepMetrics } from '../../rl/metrics/index.ts';
import type { EvalResult } from '../../rl/loop/evaluate.ts';
import { compact, percent, signed, signedTick } from '../format/format.ts';

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** One line under the title: how to read it. */
  readonly reading: string;
  readonly colour: string;
  /** The metric of the value, for its names in the log and its formula; none where it is not of the whole run. */
  readonly metric?: MetricKey;
  /** Null where the step has no such number. */
  readonly value: (metrics: StepMetrics) => number | null;
  readonly evaluation?: (result: EvalResult) => number;
  /** The least range of the vertical axis; it grows where the data do. Null leaves that end to the data. */
  readonly range: readonly [number | null, number | null];
  /** Set by a rule, not measured: no smoothing. */
  readonly exact?: boolean;
  readonly format: (value: number | null) => string;
  /** Shorter form for the axis. */
  readonly tick: (value: number) => string;
}

const wholePercent = (value: number): string => percent(value, 0);

export const MAIN_CHARTS: readonly ChartSpec[] = [
  {
    id: 'reward',
    title: 'Reward',
    unit: 'mean reward per answer',
    reading: 'What training pushes up: the score of an answer by the rule of its task.',
    colour: 'var(--series-reward)',
    metric: 'reward',
    value: (metrics) => metrics.reward,
    range: [0, 1],
    format: (value) => signed(value, 2),
    tick: signedTick,
  },
  {
    id: 'accuracy',
    title: 'Accuracy',
    unit: 'share of right answers',
    reading: 'The result that was read out of the text is right.',
    colour: 'var(--series-accuracy)',
    metric: 'accuracy',
    value: (metrics) => metrics.accuracy,
    evaluation: (result) => result.accuracy,
    range: [0, 1],
    format: (value) => percent(value),
    tick: wholePercent,
  },
  {
    id: 'format',
    title: 'Format compliance',
    unit: 'share of answers in the asked form',
    reading: 'The result stands where the task asks for it, right or wrong.',
    colour: 'var(--series-format)',
    metric: 'format',
    value: (metrics) => metrics.format,
    evaluation: (result) => result.format,
    range: [0, 1],
    format: (value) => percent(value),
    tick: wholePercent,
  },
  {
    id: 'kl',
    title: 'KL to the reference',
    unit: 'nats per token',
    reading:
      'How far the model has moved from the one it started as, or whatever the settings measure against.',
    colour: 'var(--series-kl)',
    metric: 'kl',
    value: (metrics) => metrics.kl,
    range: [0, null],
    format: compact,
    tick: compact,
  },
];
