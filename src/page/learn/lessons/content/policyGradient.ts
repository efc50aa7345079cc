import { percent } from '../../../ui/text/format.ts';
import type { ArmRecord, Finding, Lesson } from './lesson.ts';

/** A smaller move of a probability is not counted as one. */
const MOVE = 0.005;

function find([run]: readonly ArmRecord[]): Finding {
  const fork = run?.fork ?? null;
  if (fork === null)
    return {
      outcome: null,
      rows: [],
      said: ['All answers earned the same, so nothing was learned from them.'],
    };
  const { beginning, better, worse } = fork;
  const [up, down] = [better.after - better.before, worse.after - worse.before];
  const outcome =
    up > MOVE && down < -MOVE
      ? 'apart'
      : up > MOVE && down > MOVE
        ? 'both'
        : Math.abs(up) <= MOVE
          ? 'neither'
          : null;
  const shares = ({ before, after }: typeof better): string[] => [`${percent(before)} → ${percent(after)}`];
  return {
    outcome,
    rows: [
      { what: `“${better.text}”, of the answer that earned more`, values: shares(better) },
      { what: `“${worse.text}”, of the answer that earned less`, values: shares(worse) },
    ],
    said: [
      `${beginning === '' ? 'Both answers differ from their first token on' : `Both answers begin with “${beginning}”`}. There the model wrote “${better.text}” with ${percent(better.before, 0)} and “${worse.text}” with ${percent(worse.before, 0)}; after one update it is ${percent(better.after, 0)} and ${percent(worse.after, 0)}.`,
    ],
  };
}

export const POLICY_GRADIENT: Lesson = {
  id: 'policy-gradient',
  before: [
    'The model gives every possible next token a probability, and draws one. Answers to one problem often begin alike, and differ from some token on.',
    'The run asks a single problem 32 times and makes one update. The lesson then takes two of the answers, one that earned more than the mean of all and one that earned less, and looks at the first token where they differ: how likely it was before, and how likely it is after.',
    'Its learning rate is ten times the usual one, so that a single update shows.',
  ],
  question: 'What does the update do to the two tokens?',
  choices: [
    { id: 'both', text: 'Both become more likely, because both were written' },
    { id: 'apart', text: 'One becomes more likely, the other less likely' },
    { id: 'neither', text: 'Nothing that can be seen: one update is too small' },
  ],
  task: 'reverse_digits',
  settings: {
    numSteps: 1,
    problemsPerStep: 1,
    rolloutsPerProblem: 32,
    learningRate: 3e-3,
    evalSamples: 20,
    taskConfig: {},
  },
  arms: [{ name: 'one update', settings: {} }],
  charts: [],
  readsFork: true,
  find,
  why: [
    'This is the policy gradient. The loss is −A · log p for each token that was written: p is its probability, A its answer’s advantage, which is the reward less the mean of the group. Going down its slope raises p where A is above 0, and lowers it where A is below 0.',
    'All tokens of an answer get its advantage. Those that both answers share are pushed both ways, and the pushes cancel out. What is left is the place where better and worse answers differ.',
    'Probabilities sum to 1, so what one token gains others lose. Nothing told the model which token was right: it wrote both, and the rewards differed.',
  ],
  document: 'losses.md',
};
