/** The share of shown working that is right, against answers worked out by hand. */
import { describe, expect, it, test } from 'vitest';
import { TASKS, taskByName } from '../allTasks.ts';
import type { Problem, TaskConfig } from './types.ts';

/** The first problem of a task whose compact question is this. */
function asked(name: string, compact: string, config: TaskConfig): Problem {
  const task = taskByName(name);
  for (const split of ['train', 'eval'] as const)
    for (let index = 0; index < 2000; index++) {
      const problem = task.generate(0, split, index, { ...task.defaults, ...config });
      if (problem.compact === compact) return problem;
    }
  throw new Error(`${name} never asks "${compact}".`);
}

describe('the working of an answer', () => {
  const small = { min_value: 2, max_value: 12 };
  const sums = { min_numbers: 2, max_numbers: 2 };
  const digits = { min_digits: 2, max_digits: 2 };
  it.each<[string, string, TaskConfig, string, number | null]>([
    // 12 = 1·8 + 4 and 8 = 2·4 + 0, so the divisor is 4.
    ['gcd', 'gcd 8 12', small, '12 8: 12-8=4\n8 4: 8-8=0\n<answer>4</answer>', 1],
    ['gcd', 'gcd 8 12', small, '12 8: 12-8=4\n8 4: 8-8=0\nAnswer: 4', 1],
    ['gcd', 'gcd 8 12', small, '12 8: 12-8=4\n8 4: 8-4=4\n<answer>4</answer>', 5 / 6],
    ['gcd', 'gcd 8 12', small, '44 46: 46-462=4\n<answer>4</answer>', 0],
    ['gcd', 'gcd 8 12', small, '<answer>4</answer>', null],
    ['gcd', 'gcd 8 12', small, '\n<answer>4</answer>', null],
    ['reverse_digits', 'reverse 47', digits, '7 4\n[ANSWER] 74', 1],
    ['reverse_digits', 'reverse 47', digits, '7 7\n[ANSWER] 74', 1 / 2],
    ['reverse_digits', 'reverse 47', digits, '7 4\nAnswer: 74', 1],
    ['reverse_digits', 'reverse 47', digits, '[ANSWER] 74', null],
    ['sum_digits_titan', 'sum 40 13', sums, '4 + 0 = 4 + 1 = 5 + 3 = 8\n[ANSWER] 8', 1],
    ['sum_digits_titan', 'sum 40 13', sums, '4 + 0 = 7 + 1 = 8 + 3 = 11\n[ANSWER] 8', 3 / 4],
    ['sum_digits_titan', 'sum 40 13', sums, '[ANSWER] 8', null],
  ])('to %s, %s', (name, compact, config, text, share) => {
    const working = taskByName(name).working?.(asked(name, compact, config), text);
    if (share === null) expect(working).toBeNull();
    else expect(working).toBeCloseTo(share, 12);
  });
});

test('a demonstration is all right, and a task without steps checks none', () => {
  for (const task of TASKS) {
    if (task.dataset !== undefined) continue;
    const config = { ...task.defaults, ...task.starter?.config };
    const problem = task.generate(1, 'train', 0, config);
    const share = task.working?.(problem, task.workedAnswer(problem));
    expect([task.name, share]).toEqual([task.name, 'step_weight' in task.fields ? 1 : undefined]);
  }
});
