import { describe, expect, it } from 'vitest';
import { customTask } from '../custom/customTask.ts';
import { GRADER_DEFAULTS } from './definition.ts';
import { TASKS, taskByName } from '../allTasks.ts';
import { judged, withFault } from './reason.ts';
import type { Completion, Reward, ScoringMode, Task, TaskConfig } from './types.ts';

const said = (text: string, stopReason: Completion['stopReason'] = 'eos'): Completion => ({
  text,
  tokens: [1],
  stopReason,
});

function reasonOf(
  task: Task,
  answer: (truth: string) => Completion,
  config: TaskConfig = {},
  mode: ScoringMode = 'strict',
): string {
  const all = { ...task.defaults, ...config };
  const problem = task.generate(3, 'train', 0, all);
  return task.score(problem, answer(problem.answer), { mode, config: all }).reason;
}

describe('the reason of a reward', () => {
  const reverse = taskByName('reverse_digits');
  const truth = reverse.generate(3, 'train', 0, reverse.defaults).answer;

  it.each<[why: string, task: string, text: (truth: string) => string, config?: TaskConfig]>([
    ['Right.', 'reverse_digits', (t) => `[ANSWER] ${t}`],
    ['Right, but no [ANSWER].', 'reverse_digits', (t) => `Answer: ${t}`],
    ['Right.', 'reverse_digits', (t) => `Answer: ${t}`, { reward_rule: 'correct_only' }],
    [`Wrong: found 12 after [ANSWER], expected ${truth}.`, 'reverse_digits', () => '[ANSWER] 12'],
    [
      `Wrong: found 12 as the last number, expected ${truth}. No [ANSWER].`,
      'reverse_digits',
      () => 'perhaps 12',
    ],
    ['No number found. No [ANSWER].', 'reverse_digits', () => 'no idea'],
    ['Right, but text after the number.', 'sum_digits_titan', (t) => `[ANSWER] ${t} I think`],
    ['Right, but more than one [ANSWER].', 'sum_digits_titan', (t) => `[ANSWER] [ANSWER] ${t}`],
    ['Right.', 'gcd', (t) => `<answer>${t}</answer>`],
    ['No answer found. No <answer> tags.', 'gcd', (t) => t],
    ['Right, but text after </answer>.', 'gcd', (t) => `<answer>${t}</answer> so.`],
    ['Right, but more than one <answer> tag.', 'gcd', (t) => `<answer>1</answer><answer>${t}</answer>`],
    ['Right. 0% of the working is right.', 'gcd', (t) => `<answer>${t}</answer>`, { step_weight: 1 }],
    ['No number found.', 'tinker_arithmetic', () => 'many'],
    ['Not lines that begin with = and end in one number and <eoe>.', 'rpn_arithmetic', () => 'no'],
  ])('is "%s"', (why, name, text, config) => {
    const task = taskByName(name);
    const found = reasonOf(task, (t) => said(text(t)), config);
    expect(found.endsWith(why) || found === why).toBe(true);
  });

  it('says that an answer was cut, and counts tags under upstream scoring', () => {
    expect(reasonOf(taskByName('tinker_arithmetic'), (t) => said(t, 'max_tokens'))).toBe(
      'Right, but cut before its end.',
    );
    const tagged = (t: string) => said(`<answer>${t}</answer>`);
    expect(reasonOf(taskByName('gcd'), tagged, {}, 'upstream')).toBe('Right, but 2 of 4 tags.');
  });

  it('names what a grader of a task of one’s own looked for', () => {
    const rows = Array.from({ length: 60 }, (_, i) => ({ question: `${i}?`, answer: `${i}` }));
    const task = customTask({ name: 'own', system: '', grader: GRADER_DEFAULTS.number, rows });
    expect(reasonOf(task, () => said('no idea'))).toBe('No number found.');
    expect(reasonOf(task, (t) => said(`it is ${t}`))).toBe('Right.');
  });
});

it.each(TASKS.filter(({ dataset }) => dataset === undefined).map((task) => [task.name, task] as const))(
  '%s: every reward has a reason and parts that sum to it',
  (_, task) => {
    for (const mode of ['strict', 'upstream'] as const)
      for (let index = 0; index < 4; index++) {
        const problem = task.generate(5, 'train', index, task.defaults);
        for (const text of [
          task.workedAnswer(problem),
          problem.answer,
          'no idea',
          '<answer>7</answer>',
          '',
        ]) {
          const reward: Reward = task.score(problem, said(text), { mode, config: task.defaults });
          expect(reward.reason).toMatch(/\S/);
          const sum = Object.values(reward.parts).reduce((all, part) => all + part, 0);
          expect(sum).toBeCloseTo(reward.total, 9);
          if (reward.correct) expect(reward.reason).toMatch(/^Right/);
          else expect(reward.reason).not.toMatch(/^Right\b/);
        }
      }
  },
);

it('repeats little of a long answer, and quotes what is no number', () => {
  expect(judged({ correct: false, read: 'x'.repeat(100), truth: '-1,200.5' })).toBe(
    `Wrong: found “${'x'.repeat(40)}…”, expected -1,200.5.`,
  );
  expect(judged({ correct: false, read: '  ', truth: '' })).toBe('Wrong: found an empty text.');
  expect(withFault('No answer found.', null)).toBe('No answer found.');
});
