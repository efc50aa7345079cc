import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import { customTask, GRADER_DEFAULTS } from '@rl-playground/tasks/parts';
import { taskMix, atLevel, evaluationCounts, heldOutProblems, trainingProblem } from './taskMix.ts';

const config: RunConfig = {
  ...defaultConfig('mixture'),
  mixture: [
    { task: 'chain_sum', weight: 3, config: { max_terms: 3 } },
    { task: 'reverse_digits', weight: 1, config: {} },
  ],
};
const tasks = taskMix(config);

describe('taskMix', () => {
  it('turns weights into shares and fills in every field', () => {
    expect(tasks.map(({ task, share }) => [task.name, share])).toEqual([
      ['chain_sum', 0.75],
      ['reverse_digits', 0.25],
    ]);
    expect(tasks[0]?.config).toEqual({ ...tasks[0]?.task.defaults, max_terms: 3 });
  });

  it('knows a single task and an alias', () => {
    const [only, ...others] = taskMix({
      ...defaultConfig('sum_digits'),
      taskConfig: { reward_rule: 'correct_only' },
    });
    expect(others).toEqual([]);
    expect(only).toMatchObject({ share: 1, config: { reward_rule: 'correct_only' } });
  });

  it('names the task that is missing', () => {
    expect(() => taskMix({ ...config, mixture: [{ task: 'chess', weight: 1, config: {} }] })).toThrow(
      'There is no task named "chess"',
    );
  });
});

describe('trainingProblem', () => {
  it('asks the parts by their shares', () => {
    const asked = Array.from({ length: 4000 }, (_, index) => trainingProblem(tasks, null, 5, index));
    const sums = asked.filter(({ taskIndex }) => taskIndex === 0).length;
    // Five standard deviations of a share of 3/4 in 4000 draws are 0.034.
    expect(Math.abs(sums / 4000 - 0.75)).toBeLessThan(0.034);
    expect(asked.every(({ problem, taskIndex }) => problem.task === tasks[taskIndex]?.task.name)).toBe(true);
    expect(trainingProblem(tasks, null, 5, 17)).toEqual(asked[17]);
  });

  it('draws from the level of the part', () => {
    const [chain] = tasks;
    if (!chain) throw new Error('There is no first part.');
    const easiest = Array.from({ length: 200 }, (_, index) => trainingProblem([chain], [0], 5, index));
    const terms = easiest.map(({ problem }) => problem.question.split(/ [+-] /).length);
    expect(new Set(terms)).toEqual(new Set([2]));
    expect(atLevel(chain, 0)).toMatchObject({ min_terms: 2, max_terms: 2 });
    expect(atLevel(chain, null)).toBe(chain.config);
  });
});

describe('heldOutProblems', () => {
  it('is one fixed set, dealt by share, apart from training', () => {
    const held = heldOutProblems(tasks, 40);
    expect(held.map(({ taskIndex }) => taskIndex)).toEqual([
      ...Array<number>(30).fill(0),
      ...Array<number>(10).fill(1),
    ]);
    expect(heldOutProblems(tasks, 40)).toEqual(held);
    const trained = new Set(
      Array.from({ length: 3000 }, (_, index) => trainingProblem(tasks, null, 0, index).problem.question),
    );
    expect(held.filter(({ problem }) => trained.has(problem.question))).toEqual([]);
  });

  it('asks each problem once, so that a file of few rows counts as few', () => {
    const rows = Array.from({ length: 80 }, (_, i) => ({ question: `q${i}`, answer: `${i}` }));
    const task = customTask({ name: 'few', rows, grader: GRADER_DEFAULTS.answer_tag, system: '' });
    const mix = [{ task, config: task.defaults, share: 1 }];
    const held = heldOutProblems(mix, 200).map(({ problem }) => problem.question);
    expect(new Set(held).size).toBe(held.length);
    // One in five is held out, by a hash.
    expect(held.length).toBeGreaterThan(8);
    expect(held.length).toBeLessThan(25);
    expect(heldOutProblems(tasks, 200)).toHaveLength(200);
  });

  it.each([
    [[0.5, 0.5], 5, [3, 2]],
    [[0.98, 0.01, 0.01], 10, [8, 1, 1]],
    [[0.9, 0.1], 1, [1, 0]],
    [[1], 7, [7]],
  ])('deals shares %j of %i problems as %j', (shares, samples, counts) => {
    const dealt = evaluationCounts(
      shares.map((share) => ({ ...(tasks[0] as (typeof tasks)[number]), share })),
      samples,
    );
    expect(dealt.reduce((sum, count) => sum + count, 0)).toBe(samples);
    expect(dealt).toEqual(counts);
  });
});
