import { fixed, percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { chartOf, dead, greedyDifference, greedyOf, greedyRow, meanOf } from './measure.ts';

function find(records: readonly ArmRecord[]): Finding {
  const [cold, warm] = records;
  if (cold === undefined || warm === undefined) return { outcome: null, rows: [], said: [] };
  const found = greedyDifference(cold, warm);
  const outcome =
    found === null ? null : found.interval.low > 0 ? 'warm' : found.interval.high < 0 ? 'cold' : 'same';
  const shares = records.map(({ metrics }) => meanOf(metrics, dead));
  const [one, two] = [greedyOf(cold), greedyOf(warm)];
  return {
    outcome,
    rows: [
      {
        what: 'Sampled accuracy in the first step',
        values: records.map(({ metrics }) => percent(metrics[0]?.accuracy)),
      },
      { what: 'Groups that teach nothing, mean over steps', values: shares.map((share) => percent(share)) },
      {
        what: 'Entropy in the first step, nats per token',
        values: records.map(({ metrics }) => fixed(metrics[0]?.entropy, 2)),
      },
      greedyRow(records),
    ],
    said: [
      `At temperature 0.2 ${percent(shares[0], 0)} of the groups were dead, at temperature 1 ${percent(shares[1], 0)}. Greedy accuracy went from ${percent(one.before, 0)} to ${percent(one.after, 0)} at 0.2, and from ${percent(two.before, 0)} to ${percent(two.after, 0)} at 1.`,
    ],
  };
}

export const TEMPERATURE: Lesson = {
  id: 'temperature',
  before: [
    'The temperature divides the model’s scores before a token is drawn. At 1, tokens are drawn with the model’s own probabilities. At 0.2 it nearly always writes its favourite, and is right more often.',
    'Two runs write numbers backwards for 30 steps of 64 answers. One draws its answers at 0.2, the other at 1. Both are judged by greedy answers, which have no temperature.',
  ],
  question: 'Which run learns more?',
  choices: [
    { id: 'cold', text: 'At 0.2: it learns from better answers' },
    { id: 'warm', text: 'At 1: its answers differ more' },
    { id: 'same', text: 'No difference that can be told from chance' },
  ],
  task: 'reverse_digits',
  settings: { numSteps: 30, problemsPerStep: 8, maxTokens: 40, taskConfig: {} },
  arms: [
    { name: 'temperature 0.2', settings: { temperature: 0.2 } },
    { name: 'temperature 1', settings: { temperature: 1 } },
  ],
  charts: [
    chartOf('fracMixed', 'dead', dead, { title: 'Groups that teach nothing', unit: 'share of groups' }),
    chartOf('entropy', 'entropy', (step) => step.entropy, {
      title: 'Entropy',
      unit: 'nats per token',
      shown: 'number',
    }),
  ],
  find,
  why: [
    'Learning compares answers to the same problem. Eight copies of one answer earn the same and teach nothing: a run that never tries anything else can’t find out that something else is better. That is exploration.',
    'At 0.2 the few groups with mixed rewards decide every update. They were drawn from sharpened probabilities, so what helps there need not help the model itself.',
    'More is not always better: far above 1 most answers are noise, and nothing right is left to learn from. Try 2 under “More settings”.',
  ],
  document: 'losses.md',
};
