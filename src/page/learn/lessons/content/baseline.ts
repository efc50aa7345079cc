import { fixed, percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { accuracy, ACCURACY_CHART, chartOf, greedyRow, last, meanOf, meansApart } from './measure.ts';

const STEPS = 8;

/** The share of the first step's answers that were made likelier. */
const pushedUp = ({ answers }: ArmRecord): number =>
  answers.filter(({ advantage }) => advantage > 0).length / answers.length;

function find(records: readonly ArmRecord[]): Finding {
  const [bare, based] = records;
  if (bare === undefined || based === undefined) return { outcome: null, rows: [], said: [] };
  const { difference, surely } = meansApart(bare, based, accuracy, STEPS);
  const outcome = !surely ? 'same' : difference > 0 ? 'with' : 'without';
  return {
    outcome,
    rows: [
      {
        what: 'Answers of the first step that were pushed up',
        values: records.map((record) => percent(pushedUp(record), 0)),
      },
      {
        what: `Sampled accuracy, last ${STEPS} steps`,
        values: records.map((record) => percent(meanOf(last(record, STEPS), accuracy))),
      },
      greedyRow(records),
    ],
    said: [
      `In the first step ${percent(pushedUp(bare), 0)} of the answers were made more likely without a baseline, and ${percent(pushedUp(based), 0)} with one, although both runs drew the same answers.`,
      `Over the last ${STEPS} steps sampled accuracy is ${fixed(Math.abs(100 * difference), 0)} points ${difference >= 0 ? 'higher' : 'lower'} with the baseline${surely ? '' : ', which is within what single steps scatter'}.`,
    ],
  };
}

export const BASELINE: Lesson = {
  id: 'baseline',
  before: [
    'REINFORCE pushes every answer by its reward. Here an answer earns from −1 to +3: right or wrong, and up to 2 for digits in their place, so that most rewards are above 0.',
    'A baseline is subtracted from the reward first. In the second run it is the mean reward of the answers to the same problem. The first run subtracts nothing.',
    'Both make 16 steps of 128 answers.',
  ],
  question: 'Which run is right more often in its last steps?',
  choices: [
    { id: 'same', text: 'No clear difference: the order of the rewards is the same' },
    { id: 'with', text: 'The one with the baseline' },
    { id: 'without', text: 'The one without: it loses no reward' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 16, loss: 'reinforce', taskConfig: { step_weight: 2 } },
  arms: [
    { name: 'no baseline', settings: { baseline: 'none' } },
    { name: 'mean of the group', settings: { baseline: 'group' } },
  ],
  charts: [
    ACCURACY_CHART,
    chartOf('reward', 'reward', (step) => step.reward, {
      title: 'Reward',
      unit: 'mean reward per answer',
      shown: 'number',
    }),
  ],
  find,
  why: [
    'Without a baseline wrong answers are pushed up, too, only less than right ones. Because probabilities sum to 1, the pushes partly cancel out in the long run, but a step sees few answers: whatever happened to be drawn becomes more likely.',
    'Subtracting a number that does not depend on the answer leaves the mean of the gradient as it is and takes away much of its noise. The mean of the group is such a number, a guess of what is usual for this problem; GRPO has no other critic.',
    'A moving average over steps, or a value head, are other baselines: the setting “Baseline” has them.',
  ],
  document: 'losses.md',
};
