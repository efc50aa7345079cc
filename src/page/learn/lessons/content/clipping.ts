import { percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { clipped, chartOf, greedyRow, ACCURACY_CHART, valuesOf } from './measure.ts';
import { mean } from '@rl-playground/base/statistics';

const ARMS = ['one update', 'four updates'] as const;

function find(records: readonly ArmRecord[]): Finding {
  const [one = [], four = []] = records.map(({ metrics }) => valuesOf(metrics, clipped));
  const [some, someOfFour] = [one, four].map((values) => values.some((value) => value > 0));
  const outcome = someOfFour === true ? (some === true ? 'both' : 'four') : some === true ? null : 'neither';
  const greatest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  const meanText = (values: readonly number[]): string => percent(values.length ? mean(values) : NaN, 2);
  return {
    outcome,
    rows: [
      { what: 'Clipped tokens, mean over steps', values: [one, four].map(meanText) },
      { what: 'Most in a step', values: [one, four].map((values) => percent(greatest(values), 2)) },
      greedyRow(records),
    ],
    said: [
      `With one update per step ${some === true ? 'some tokens were' : 'not one token was'} clipped. With four, ${meanText(four)} of the tokens were, and ${percent(greatest(four), 2)} in the step with the most.`,
    ],
  };
}

export const CLIPPING: Lesson = {
  id: 'clipping',
  before: [
    'PPO and GRPO divide the present probability of a token by its probability when it was sampled. Once this ratio has passed 0.8 or 1.2 in the direction in which it is being pushed, the clip stops pushing that token.',
    'Two runs learn from the same number of answers, 12 steps of 128. One makes a single update with each step’s answers, the other cuts them into four parts and makes an update with each.',
  ],
  question: 'In which of the two runs does the clip change anything?',
  choices: [
    { id: 'both', text: 'In both' },
    { id: 'four', text: 'Only where four updates are made' },
    { id: 'neither', text: 'In neither' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 12, loss: 'grpo', clipMeaning: 'epsilon', clipLow: 0.2, clipHigh: 0.2 },
  arms: [
    { name: ARMS[0], settings: { numSubsteps: 1 } },
    { name: ARMS[1], settings: { numSubsteps: 4 } },
  ],
  charts: [
    chartOf('clipRegion', 'clipped', clipped, {
      title: 'Clipped tokens',
      unit: 'share of tokens',
      shown: 'small share',
    }),
    ACCURACY_CHART,
  ],
  find,
  why: [
    'At the first update after sampling nothing has moved yet: every ratio is 1, as far as sampler and trainer compute alike. A clip at 0.8 and 1.2 can’t touch a 1.',
    'From the second update on the model is no longer the one that wrote the answers. The further it has moved, the more ratios leave the range, and the clip stops them.',
    'So “PPO”, “GRPO with a clip” and plain policy gradient are the same with one update per batch. The clip matters if answers are used more than once or late: with more updates, more passes, or a sampler that lags.',
  ],
  document: 'losses.md',
};
