/** What each chart draws, in which unit, and what it means. */
import type { EvalResult, StepMetrics } from '../../rl/types.ts';
import { compact, fixed, percent, signed } from '../lib/format.ts';

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** One line under the title: how to read it. */
  readonly reading: string;
  readonly colour: string;
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
    value: (metrics) => metrics.reward,
    range: [0, 1],
    format: (value) => signed(value, 2),
    tick: (value) => signed(value, Number.isInteger(value) ? 0 : 1),
  },
  {
    id: 'accuracy',
    title: 'Accuracy',
    unit: 'share of right answers',
    reading: 'The result that was read out of the text is right.',
    colour: 'var(--series-accuracy)',
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
    value: (metrics) => metrics.format,
    evaluation: (result) => result.format,
    range: [0, 1],
    format: (value) => percent(value),
    tick: wholePercent,
  },
  {
    id: 'kl',
    title: 'KL to the start',
    unit: 'nats per token',
    reading: 'How far the model has moved from the one it started as.',
    colour: 'var(--series-kl)',
    value: (metrics) => metrics.kl,
    range: [0, null],
    format: compact,
    tick: compact,
  },
];

const other = (
  id: string,
  title: string,
  unit: string,
  reading: string,
  value: (metrics: StepMetrics) => number | null,
  range: readonly [number | null, number | null] = [0, null],
): ChartSpec => ({
  id,
  title,
  unit,
  reading,
  colour: 'var(--series-other)',
  value,
  range,
  format: compact,
  tick: compact,
});

export const MORE_CHARTS: readonly ChartSpec[] = [
  other(
    'entropy',
    'Entropy',
    'nats per token',
    'How open the next token still is; zero means no doubt.',
    (m) => m.entropy,
  ),
  other('grad-norm', 'Gradient norm', 'before clipping', 'The size of one update’s push.', (m) => m.gradNorm),
  other(
    'loss',
    'Loss',
    'policy loss plus penalties',
    'Near zero is normal here: advantages cancel out. Judge by reward.',
    (m) => m.loss,
    [null, null],
  ),
  other(
    'kl-sample-train',
    'Sampler against trainer',
    'nats per token',
    'Mean of log q − log p on the same tokens; on-policy it is rounding noise.',
    (m) => m.klSampleTrainV1,
    [null, null],
  ),
  {
    ...other(
      'learning-rate',
      'Learning rate',
      'AdamW step size',
      'What the schedule made of the setting.',
      (m) => m.learningRate,
    ),
    exact: true,
  },
  {
    ...other(
      'frac-mixed',
      'Mixed groups',
      'share of groups',
      'Groups with both good and bad answers: the ones that teach GRPO something.',
      (m) => m.fracMixed,
      [0, 1],
    ),
    format: (value) => percent(value),
    tick: wholePercent,
  },
  {
    ...other(
      'length',
      'Answer length',
      'mean tokens',
      'Tokens that the model writes per answer.',
      (m) => m.meanLength,
    ),
    format: (value) => fixed(value, 1),
  },
  {
    ...other(
      'truncated',
      'Cut answers',
      'share of answers',
      'Answers that ran into the token limit.',
      (m) => m.truncated,
      [0, 1],
    ),
    format: (value) => percent(value),
    tick: wholePercent,
  },
  other(
    'seconds',
    'Time per step',
    'seconds',
    'Sampling, training and handing the weights over.',
    (m) => m.seconds,
  ),
];
