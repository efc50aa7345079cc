import { percent, signed } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { chartOf, dead, greedyDifference, greedyRow, meanOf, ACCURACY_CHART } from './measure.ts';

function find(records: readonly ArmRecord[]): Finding {
  const [two, eight] = records;
  if (two === undefined || eight === undefined) return { outcome: null, rows: [], said: [] };
  const found = greedyDifference(two, eight);
  const outcome =
    found === null ? null : found.interval.low > 0 ? 'eight' : found.interval.high < 0 ? 'two' : 'same';
  const deadOf = records.map((record) => meanOf(record.metrics, dead));
  return {
    outcome,
    rows: [
      { what: 'Groups that teach nothing, mean over steps', values: deadOf.map((share) => percent(share)) },
      greedyRow(records),
    ],
    said: [
      `With 2 answers to a problem ${percent(deadOf[0], 0)} of the groups were dead, with 8 ${percent(deadOf[1], 0)}.`,
      found === null
        ? 'The two were not asked the same held-out problems, so they can’t be told apart.'
        : `At the end the run with 8 answers is ${signed(100 * found.difference, 0)} points from the one with 2 (95% interval ${signed(100 * found.interval.low, 0)} to ${signed(100 * found.interval.high, 0)}, over the same problems)${outcome === 'same' ? ': no difference that can be told from chance' : ''}.`,
    ],
  };
}

export const GROUP_SIZE: Lesson = {
  id: 'group-size',
  before: [
    'A step has 128 answers either way: 2 answers to each of 64 problems, or 8 answers to each of 16.',
    'The smaller group is more often dead (all its answers earn the same), and its mean is a worse guess of what is usual. But each step then has four times as many problems.',
  ],
  question: 'After 30 steps of the same number of answers, which run answers more held-out problems right?',
  choices: [
    { id: 'two', text: '2 answers to 64 problems' },
    { id: 'eight', text: '8 answers to 16 problems' },
    { id: 'same', text: 'No difference that can be told from chance' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 30 },
  arms: [
    { name: '2 × 64', settings: { rolloutsPerProblem: 2, problemsPerStep: 64 } },
    { name: '8 × 16', settings: { rolloutsPerProblem: 8, problemsPerStep: 16 } },
  ],
  charts: [
    chartOf('fracMixed', 'dead', dead, { title: 'Groups that teach nothing', unit: 'share of groups' }),
    ACCURACY_CHART,
  ],
  find,
  why: [
    'Dead groups waste answers, but 64 small groups can still leave as many useful comparisons as 16 large ones. Where problems differ much, more of them is worth something, too.',
    'Large groups help if right answers are rare: at p = 0.05 a group of 2 is dead in 9 of 10 cases, a group of 8 in 2 of 3. Try it with a harder task, or a longer one.',
    'One seed and 100 problems can only show large differences. “Run 3 seeds” in the list of runs says more.',
  ],
  document: 'losses.md',
};
