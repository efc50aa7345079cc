import { percent } from '../../../ui/text/format.ts';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { runColour } from '../../../see/arms/chartsStore.ts';
import { COLOURS } from '../../../see/charts/specs/spec.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';
import { accuracy, dead, first, last, meanOf } from './measure.ts';

const GROUP = 8;
const STEPS = 10;

/** The share of groups of `size` answers that are all right or all wrong, if each answer is right with chance `p`, independently. */
export function deadShare(p: number, size: number): number {
  return p ** size + (1 - p) ** size;
}

/** A smaller change is noise: it is about two standard errors of the shares of 160 groups. */
const CHANGE = 0.1;

function find([run]: readonly ArmRecord[]): Finding {
  if (run === undefined) return { outcome: null, rows: [], said: [] };
  const line = (steps: readonly StepMetrics[]) => {
    const p = meanOf(steps, accuracy);
    return { p, counted: meanOf(steps, dead), formula: deadShare(p, GROUP) };
  };
  const [begin, end] = [line(first(run, STEPS)), line(last(run, STEPS))];
  const change = end.counted - begin.counted;
  const outcome = change > CHANGE ? 'more' : change < -CHANGE ? 'fewer' : 'same';
  const values = (pick: (of: typeof begin) => number) => [`${percent(pick(begin))} → ${percent(pick(end))}`];
  const above = end.counted > end.formula;
  return {
    outcome,
    rows: [
      { what: `Sampled accuracy p, first and last ${STEPS} steps`, values: values(({ p }) => p) },
      { what: 'Groups that teach nothing, counted', values: values(({ counted }) => counted) },
      { what: 'By the formula pᴳ + (1 − p)ᴳ at that p', values: values(({ formula }) => formula) },
    ],
    said: [
      `At the end ${percent(end.p)} of the sampled answers were right. If all problems were equally hard, ${percent(end.formula)} of the groups would teach nothing; in this run it was ${percent(end.counted)}.`,
      above
        ? 'The run has more dead groups than the formula says, because problems are not equally hard. All eight answers to an easy problem are often right, and all answers to a hard one are often wrong.'
        : 'The run has fewer dead groups than the formula says, because the format earns reward, too. A group of right answers still differs if some lack the format.',
    ],
  };
}

export const DEAD_GROUPS: Lesson = {
  id: 'dead-groups',
  before: [
    'GRPO asks each problem several times (here G = 8) and compares the answers of that group with each other. If all of them earn the same, no answer is better than another, and the group changes nothing. Such a group is dead.',
    'If each answer is right with chance p, independently of the others, a share pᴳ + (1 − p)ᴳ of the groups is all right or all wrong.',
    'The model writes numbers backwards, for 40 steps of 16 groups. About half of its answers are right at first, and more with every step.',
  ],
  question: 'As the model gets better, does the share of dead groups rise or fall?',
  choices: [
    { id: 'more', text: 'It rises: success makes groups alike' },
    { id: 'fewer', text: 'It falls: a better model has more to compare' },
    { id: 'same', text: 'It stays about the same' },
  ],
  task: 'reverse_digits',
  // Pay for right steps would tell nearly all answers apart.
  settings: { numSteps: 40, rolloutsPerProblem: GROUP, taskConfig: {} },
  arms: [{ name: 'the run', settings: {} }],
  charts: [
    {
      title: 'Accuracy and dead groups',
      unit: 'share of sampled answers, share of groups',
      metrics: ['accuracy', 'fracMixed'],
      curves: [
        { name: 'accuracy', colour: COLOURS.green, value: accuracy },
        { name: 'dead groups', colour: runColour(0), value: dead },
        {
          name: 'dead by the formula',
          colour: COLOURS.grey,
          value: ({ accuracy: p }) => (p === null ? null : deadShare(p, GROUP)),
        },
      ],
      shown: 'share',
    },
  ],
  find,
  why: [
    'A group teaches most where p is near a half. At p = 0.9 the formula says 43% of groups of eight are dead, at p = 0.98 85%: a run slows down because it succeeds.',
    'There are three remedies: harder problems as the model learns (a curriculum), more answers to each problem, and new samples in place of dead groups (DAPO).',
  ],
  document: 'losses.md',
};
