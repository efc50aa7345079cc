import { describe, expect, it } from 'vitest';
import { customTask, GRADER_DEFAULTS, type Problem, type Reward } from '@rl-playground/tasks/parts';
import type { MixTask } from './taskMix.ts';
import { MOST_PROGRAM_FAILURES, ProgramFailing, programFailures, rewardsOf } from './scoring.ts';

const rows = Array.from({ length: 60 }, (_, i) => ({ question: `q${i}`, answer: `${i}` }));
const reward = (total: number, error?: string): Reward => ({
  total,
  parts: { reward: total },
  correct: false,
  format: true,
  reason: '',
  extracted: null,
  ...(error === undefined ? {} : { error }),
});

const batches: string[][] = [];
const plain = customTask({ name: 'plain', rows, grader: GRADER_DEFAULTS.answer_tag, system: '' });
const coded = customTask(
  { name: 'coded', rows, grader: { ...GRADER_DEFAULTS.code, source: 'x' }, system: '' },
  async (_, items) => {
    batches.push(items.map(({ completion }) => completion.text));
    return items.map(({ completion }) => reward(completion.text.length));
  },
);
const tasks: MixTask[] = [plain, coded].map((task) => ({ task, share: 0.5, config: task.defaults }));

function item(taskIndex: number, text: string) {
  const problem: Problem = plain.generate(0, 'train', 0, plain.defaults);
  return { taskIndex, problem, completion: { text, tokens: [], stopReason: 'eos' as const } };
}

describe('rewards of a mixture', () => {
  it('come back in order, a program asked once for all of its answers', async () => {
    const right = plain.workedAnswer(item(0, '').problem);
    const items = [item(1, 'aa'), item(0, right), item(1, 'b'), item(0, ''), item(1, '')];
    const totals = (await rewardsOf(tasks, items, 'strict')).map(({ total }) => total);
    expect(totals).toEqual([2, 1.2, 1, 0, 0]);
    expect(batches).toEqual([['aa', 'b', '']]);
  });

  it('are missed where a program gives too few', async () => {
    const short = customTask(
      { name: 'short', rows, grader: { ...GRADER_DEFAULTS.code, source: 'x' }, system: '' },
      async () => [],
    );
    const only = [{ task: short, share: 1, config: short.defaults }];
    await expect(rewardsOf(only, [item(0, 'a')], 'strict')).rejects.toThrow(
      'own:short gave no reward for answer 1',
    );
  });
});

describe('failures in a row', () => {
  const failing = Array.from({ length: MOST_PROGRAM_FAILURES - 1 }, (_, i) => reward(0, `failure ${i}`));

  it('are counted over steps, and begin anew after one that worked', () => {
    expect(programFailures(0, failing)).toBe(MOST_PROGRAM_FAILURES - 1);
    expect(programFailures(5, [reward(0, 'a'), reward(1), reward(0, 'b'), reward(0, 'c')])).toBe(2);
    expect(programFailures(MOST_PROGRAM_FAILURES - 1, [reward(0)])).toBe(0);
  });

  it('end the patience at the limit, with the last reason', () => {
    expect(() => programFailures(1, failing)).toThrow(ProgramFailing);
    expect(() => programFailures(1, failing)).toThrow(
      `failed for ${MOST_PROGRAM_FAILURES} answers in a row, so the step was cancelled. The last failure: failure ${MOST_PROGRAM_FAILURES - 2}`,
    );
  });
});
