/** The warning that no answer of a first batch has the format. */
import { afterEach, expect, test } from 'vitest';
import type { EvalResult } from '@rl-playground/run/loop';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { rolloutWith } from '@rl-playground/run/testing/stepContext';
import { stepMetricsWith } from '@rl-playground/run/testing/stepMetrics';
import { customTask, GRADER_DEFAULTS, setCustomTasks, type GraderSettings } from '@rl-playground/tasks/parts';
import { formatWatch } from './noFormat.ts';

afterEach(() => setCustomTasks([]));

const OWN: RunConfig = {
  ...defaultConfig('sum_digits'),
  task: 'own:mine',
  taskConfig: {},
  warmStartSteps: 0,
  maxTokens: 64,
};

function offer(grader: GraderSettings, answer: string): void {
  const rows = Array.from({ length: 30 }, (_, i) => ({ question: `q${i}`, answer }));
  setCustomTasks([customTask({ name: 'mine', rows, grader, system: '' })]);
}

const reward = { ...rolloutWith().reward, format: false, correct: false, reason: 'No <answer> tag found.' };
const rollout = rolloutWith({ question: '1+1?', text: 'It is\n2', reward });
const step = (number: number, format: number) =>
  stepMetricsWith({ step: number, format, accuracy: format, completions: 32 });
const evaluation = (format: number): EvalResult => ({
  step: 0,
  accuracy: 0,
  format,
  n: 20,
  tasks: [],
  temperature: 1,
  seconds: 1,
  samples: [
    {
      task: 'own:mine',
      question: '2+2?',
      answer: '4',
      text: 'four',
      extracted: null,
      correct: false,
      format: false,
      reward: { total: 0, parts: {}, reason: 'No <answer> tag found.' },
    },
  ],
});

function watched(config: RunConfig) {
  const said: string[] = [];
  return { said, hear: formatWatch(config, (text) => said.push(text)) };
}

test('it says of the first step what was looked for, and one answer', () => {
  const { said, hear } = watched(OWN);
  hear([step(1, 0)], [], [rollout]);
  expect(said).toEqual([
    'warning: none of the first 32 answers has the right format. Tell the model the format (--system-prompt), or allow longer answers (max_tokens, 64 now), or show the model worked answers first (warmStartSteps=60), or choose another grader. One of them:\n  1+1?\n    It is\n    2\n  → No <answer> tag found. The right answer: 2',
  ]);
});

test('it is said once, of the evaluation where that comes first', () => {
  const { said, hear } = watched(OWN);
  hear([], [evaluation(0)], []);
  hear([step(1, 0)], [], [rollout]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/none of the first 20 answers.*\n {2}2\+2\?\n {4}four\n/);
});

test('one answer in the format is enough, and later steps are none of its business', () => {
  const { said, hear } = watched(OWN);
  hear([], [evaluation(0.05)], []);
  hear([step(1, 1 / 32)], [], [rollout]);
  hear([step(2, 0)], [], [rollout]);
  expect(said).toEqual([]);
});

test('a first step without a right answer or a group whose rewards differ says that there is nothing to learn from', () => {
  const first = (accuracy: number, fracMixed: number) => {
    const { said, hear } = watched(OWN);
    hear([stepMetricsWith({ step: 1, format: 0.5, accuracy, fracMixed, completions: 32 })], [], [rollout]);
    return said;
  };
  expect(first(0, 0)).toHaveLength(1);
  expect(first(0, 0)[0]).toMatch(/^warning: none of the first 32 answers is right, .*nothing to learn from/);
  for (const [accuracy, fracMixed] of [
    [0.1, 0],
    [0, 0.25],
  ] as const)
    expect(first(accuracy, fracMixed)).toEqual([]);
});

test('patterns are named: the one of the grader, or the row’s own', () => {
  const saidOf = (grader: GraderSettings, answer: string): string => {
    offer(grader, answer);
    const { said, hear } = watched(OWN);
    hear([step(1, 0)], [], [{ ...rollout, problem: { ...rollout.problem, answer } }]);
    return said.join();
  };
  expect(saidOf(GRADER_DEFAULTS.regex, '2')).toContain('The grader looked for the pattern "Answer: (.+)".');
  expect(saidOf({ ...GRADER_DEFAULTS.regex, pattern: '' }, 'is 2$')).toContain(
    'The grader looked for the row\'s own answer as a pattern, here "is 2$".',
  );
});

test('a task that is not of the user’s own is advised a warm-up, where it has none', () => {
  const config = { ...defaultConfig('reverse_digits'), warmStartSteps: 0, maxTokens: 64 };
  const { said, hear } = watched(config);
  hear([step(1, 0)], [], [rollout]);
  expect(said[0]).toContain(
    'format. Allow longer answers (max_tokens, 64 now), or show the model worked answers first (warmStartSteps=60). One of them:',
  );
  const warmed = watched({ ...config, warmStartSteps: 10 });
  warmed.hear([step(1, 0)], [], [rollout]);
  expect(warmed.said[0]).toContain(
    'has the right format. Allow longer answers (max_tokens, 64 now). One of them:',
  );
});
