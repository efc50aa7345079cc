import { fixed, percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { COLOURS } from '../../../see/charts/specs/spec.ts';
import { accuracy, greedyRow, riseOf, stepOfShare, type Value } from './measure.ts';

const format: Value = (step) => step.format;

/** A lead of fewer steps is the noise of single steps. */
const AHEAD = 2;
/** A smaller rise does not count. */
const RISE = 0.05;

function find([run]: readonly ArmRecord[]): Finding {
  if (run === undefined) return { outcome: null, rows: [], said: [] };
  const [form, right] = [riseOf(run, format), riseOf(run, accuracy)];
  const [half, rightHalf] = [stepOfShare(run, format, 0.5), stepOfShare(run, accuracy, 0.5)];
  const formRose = form.to - form.from > RISE;
  const rightRose = right.to - right.from > RISE;
  const ahead = (half ?? 0) - (rightHalf ?? 0);
  const outcome =
    formRose && (!rightRose || ahead < -AHEAD)
      ? 'format'
      : rightRose && (!formRose || ahead > AHEAD)
        ? 'accuracy'
        : formRose
          ? 'together'
          : null;
  const halfText = (rose: boolean, step: number | null): string =>
    rose && step !== null ? `step ${step}` : 'no rise above 5 points';
  return {
    outcome,
    rows: [
      {
        what: 'Format, sampled answers, first and last 5 steps',
        values: [`${percent(form.from)} → ${percent(form.to)}`],
      },
      { what: 'Halfway there', values: [halfText(formRose, half)] },
      {
        what: 'Sampled accuracy, first and last 5 steps',
        values: [`${percent(right.from)} → ${percent(right.to)}`],
      },
      { what: 'Halfway there', values: [halfText(rightRose, rightHalf)] },
      greedyRow([run]),
    ],
    said: [
      `Format rose by ${fixed(100 * (form.to - form.from), 0)} points, sampled accuracy by ${fixed(100 * (right.to - right.from), 0)}.`,
    ],
  };
}

export const FORMAT: Lesson = {
  id: 'format',
  before: [
    'The model adds up digits. It earns reward for a right sum in the right format: a last line such as “[ANSWER] 15”. At first it often leaves that line out.',
    'The run makes 30 steps of 128 answers.',
  ],
  question: 'Which share rises first: answers in the format, or right answers?',
  choices: [
    { id: 'format', text: 'The format first' },
    { id: 'accuracy', text: 'Right answers first' },
    { id: 'together', text: 'Both together' },
  ],
  task: 'sum_digits',
  settings: { numSteps: 30, problemsPerStep: 16, learningRate: 3e-4, advantageScale: 'none', taskConfig: {} },
  arms: [{ name: 'the run', settings: {} }],
  charts: [
    {
      title: 'Format and accuracy',
      unit: 'share of sampled answers',
      metrics: ['format', 'accuracy'],
      curves: [
        { name: 'format', colour: COLOURS.orange, value: format },
        { name: 'accuracy', colour: COLOURS.green, value: accuracy },
      ],
      shown: 'share',
    },
  ],
  find,
  why: [
    'The format is one decision, the same for every problem, and half of the first answers already have it. So nearly every group has answers with and without it, and each such group pushes the same way.',
    'A right sum takes a chain of right decisions that is different for every problem. What is learned from one says less about the next, so it takes many more answers.',
    'The strong push towards the format can cost right answers on the way, which is what the alarm of such a run says. The task’s own settings ask 24 problems per step and divide advantages by the deviation of their group, so that the format pushes less.',
    'In a report of a run, look at both curves: a reward that rises in the first steps is often the format alone.',
  ],
  document: 'metrics.md',
};
