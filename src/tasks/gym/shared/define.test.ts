import { describe, expect, it } from 'vitest';
import { findTask, TASKS } from '../../allTasks.ts';
import type { Completion, Problem, ScoringMode } from '../../define/types.ts';
import { formatScore, tagShare } from './answerTag.ts';

const task = findTask('chain_sum');
if (task === null) throw new Error('chain_sum is gone.');
const STEPS = task.defaults;
const THINK: typeof STEPS = { ...STEPS, developer_prompt: 'think' };
const problemOf = (config: typeof STEPS): Problem => task.generate(3, 'train', 0, config);
const scored = (problem: Problem, text: string, mode: ScoringMode, config = THINK) =>
  task.score(problem, { text, tokens: [], stopReason: 'stop' } satisfies Completion, { mode, config });

describe('the system prompt of reasoning-gym’s tasks', () => {
  it('asks for steps, and for thoughts between tags where it is told to', () => {
    const [steps, think] = [problemOf(STEPS), problemOf(THINK)].map((problem) =>
      task.messages(problem, 'full'),
    );
    expect(steps?.[0]?.content).not.toContain('<think>');
    expect(think?.[0]?.role).toBe('system');
    for (const tag of ['<think>', '</think>', '<answer>', '</answer>'])
      expect(think?.[0]?.content).toContain(tag);
    // The same question, and the bundled models are asked as before.
    expect(think?.[1]).toEqual(steps?.[1]);
    expect(task.messages(problemOf(THINK), 'compact')).toEqual(task.messages(problemOf(STEPS), 'compact'));
  });

  it('changes neither problem nor split, for any task', () => {
    const gym = TASKS.filter(({ source }) => source === 'reasoning-gym');
    expect(gym.length).toBeGreaterThan(28);
    for (const each of gym) {
      const asked = each.generate(5, 'eval', 1, { ...each.defaults, developer_prompt: 'think' });
      const { think, ...rest } = asked;
      expect([each.name, think]).toEqual([each.name, true]);
      expect(rest).toEqual(each.generate(5, 'eval', 1, each.defaults));
    }
  });

  it('has worked answers in its form, whose steps are paid inside the thought', () => {
    const problem = problemOf(THINK);
    const text = task.workedAnswer(problem);
    expect(text).toMatch(/^<think>[^]+<\/think>\n<answer>-?\d+<\/answer>$/);
    const config = { ...THINK, step_weight: 2 };
    expect(scored(problem, text, 'strict', config)).toMatchObject({
      correct: true,
      format: true,
      parts: { accuracy: 1, steps: 2 },
    });
  });
});

describe('the format score', () => {
  it.each([
    ['<think>a</think><answer>1</answer>', 1, 1],
    ['</answer></think>', 0.5, 0.5],
    ['<THINK>a</Think> <answer>1</answer>', 0.5, 1],
    // As Python folds letters: the Kelvin sign, the long s, the dotted and the dotless i.
    ['<thin\u212a><th\u0131nk></th\u0130nk><an\u017fwer></answer>', 0.25, 1],
    ['< think >', 0, 0],
  ])('of %s: paid %d, scored %d', (text, paid, score) => {
    expect(tagShare(text)).toBe(paid);
    expect(formatScore(text)).toBe(score);
  });

  it('goes with upstream scoring alone', () => {
    const problem = problemOf(THINK);
    expect(scored(problem, '<THINK><answer>x</answer>', 'upstream')).toMatchObject({
      formatScore: 0.75,
      parts: { format: 0.5 * Number(THINK['format_weight']) },
      format: false,
    });
    expect(scored(problem, '<THINK><answer>x</answer>', 'strict')).not.toHaveProperty('formatScore');
  });
});
