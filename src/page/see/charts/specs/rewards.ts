/** Charts of rewards, and of what groups can teach. */
import { fixed, signed, signedTick } from '../../../ui/text/format.ts';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { colourAt, COLOURS, curvesOf, SHARES, type ChartGroup, type ChartSpec } from './spec.ts';

const share = (percentage: number | null): number | null => (percentage === null ? null : percentage / 100);

/** The chart of the parts of the reward, where it has several. */
function partsChart(metrics: readonly StepMetrics[]): ChartSpec[] {
  const names = [...new Set(metrics.flatMap(({ rewardParts }) => rewardParts.map(({ part }) => part)))];
  if (names.length < 2) return [];
  return [
    {
      id: 'reward-parts',
      title: 'Reward by part',
      unit: 'mean over answers',
      reading: 'What each part of the score earns, over the answers that have it.',
      metrics: [],
      more: names.map((name) => ({
        label: name,
        names: [`env/all/reward/${name}`, `rewards/${name}/mean`],
        formula: 'mean of the part over the completions that have it',
      })),
      curves: names.map((name, index) => ({
        name,
        colour: colourAt(index),
        value: ({ rewardParts }) => rewardParts.find(({ part }) => part === name)?.mean ?? null,
      })),
      range: [0, null],
      format: (value) => signed(value, 2),
      tick: signedTick,
    },
  ];
}

export const REWARD_CHARTS: ChartGroup = {
  title: 'Rewards and groups',
  note: 'spread, mixed groups, variety',
  made: partsChart,
  charts: [
    {
      id: 'reward-spread',
      title: 'Reward, mean ± std',
      unit: 'reward',
      reading:
        'The band is one standard deviation over all answers of the step: if all rewards are equal, there is nothing to learn from.',
      metrics: ['reward', 'rewardStd'],
      curves: [
        {
          name: 'mean',
          colour: COLOURS.blue,
          value: (step) => step.reward,
          spread: (step) => step.rewardStd,
        },
      ],
      range: [null, null],
      format: (value) => fixed(value, 2),
      tick: signedTick,
    },
    {
      id: 'tags',
      title: 'Tags of the format',
      unit: 'share',
      reading:
        'Upstream scoring gives a quarter for each of four tags, wherever they are; the complete format needs all of them.',
      ...curvesOf({ formatScore: 'share of the tags' }),
      ...SHARES,
    },
    {
      id: 'group-outcomes',
      title: 'Group outcomes',
      unit: 'share of groups',
      reading:
        'A loss that compares within groups learns only from mixed groups: better and worse answers to one problem.',
      ...curvesOf({ fracMixed: 'mixed', fracAllBad: 'all bad', fracAllGood: 'all right' }),
      ...SHARES,
      shape: 'stack',
    },
    {
      id: 'variety',
      title: 'Variety within groups',
      unit: 'share',
      reading:
        'Three shares: problems with different answers, problems with both right and wrong answers, and answers in groups whose rewards are all equal.',
      metrics: ['answerVariancePct', 'rewardVariancePct', 'fracRewardZeroStd'],
      curves: [
        { name: 'answers differ', colour: colourAt(0), value: (step) => share(step.answerVariancePct) },
        { name: 'rewards differ', colour: colourAt(1), value: (step) => share(step.rewardVariancePct) },
        { name: 'no spread', colour: colourAt(2), value: (step) => step.fracRewardZeroStd },
      ],
      ...SHARES,
    },
    {
      id: 'baseline',
      title: 'Moving baseline',
      unit: 'reward',
      reading: 'This number is subtracted from every reward of the step.',
      ...curvesOf({ baseline: 'baseline' }),
      range: [null, null],
    },
  ],
};
