import { fixed, percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import {
  ACCURACY_CHART,
  chartOf,
  greedyDifference,
  greedyOf,
  greedyRow,
  last,
  meanOf,
  type Value,
} from './measure.ts';

const STEPS = 5;
const reward: Value = (step) => step.reward;
const kl: Value = (step) => step.kl;

function find(records: readonly ArmRecord[]): Finding {
  const [free, held] = records;
  if (free === undefined || held === undefined) return { outcome: null, rows: [], said: [] };
  const found = greedyDifference(free, held);
  const outcome =
    found === null ? null : found.interval.low > 0 ? 'kept' : found.interval.high < 0 ? 'worse' : 'same';
  const ends = (value: Value, digits: number): string[] =>
    records.map((record) => fixed(meanOf(last(record, STEPS), value), digits));
  const [paid, paidHeld] = ends(reward, 2);
  const [one, two] = [greedyOf(free), greedyOf(held)];
  return {
    outcome,
    rows: [
      { what: `Reward, last ${STEPS} steps, 1 at most`, values: ends(reward, 2) },
      { what: `KL to the start, last ${STEPS} steps, nats per token`, values: ends(kl, 3) },
      greedyRow(records),
    ],
    said: [
      `Without the penalty the reward ended at ${paid}, and greedy accuracy went from ${percent(one.before, 0)} to ${percent(one.after, 0)}. With it the reward ended at ${paidHeld}, and greedy accuracy went from ${percent(two.before, 0)} to ${percent(two.after, 0)}.`,
    ],
  };
}

export const KL: Lesson = {
  id: 'kl',
  before: [
    'The reward of these runs has a mistake: it pays +1 for the tag “[ANSWER]” and never checks the number after it. Nobody pays for right answers.',
    'KL measures how far the model has moved from where it started. In the second run the loss has a penalty for that distance, with weight β = 0.3.',
    'Both write numbers backwards for 20 steps of 64 answers.',
  ],
  question: 'What does the penalty do to the right answers?',
  choices: [
    { id: 'same', text: 'Nothing: it knows no more of the answer than the reward does' },
    { id: 'kept', text: 'More of them are left than without it' },
    { id: 'worse', text: 'Fewer are left: it hinders learning' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 20, problemsPerStep: 8, maxTokens: 40, taskConfig: { reward_rule: 'keyword' } },
  arms: [
    { name: 'no penalty', settings: { klBeta: 0 } },
    { name: 'KL penalty', settings: { klBeta: 0.3 } },
  ],
  charts: [
    chartOf('reward', 'reward', reward, { title: 'Reward', unit: 'mean reward per answer', shown: 'number' }),
    ACCURACY_CHART,
    chartOf('kl', 'KL', kl, { title: 'KL to the start', unit: 'nats per token', shown: 'number' }),
  ],
  find,
  why: [
    'A model learns what is paid, not what is meant. Writing the tag is easy; the digits before it earn nothing, so nothing corrects them when they drift. That is reward hacking.',
    'The penalty makes every change cost something. The tag earns more than it costs. Changes elsewhere cost something and earn nothing, so the model keeps more of what it could do.',
    'It slows the damage down and does not fix the reward: accuracy still falls. The cure is a reward that checks the number. A large β holds the model so close to its start that it learns nothing at all; the failure zoo shows that, too.',
  ],
  document: 'losses.md',
};
