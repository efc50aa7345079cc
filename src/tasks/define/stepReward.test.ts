import { describe, expect, test } from 'vitest';
import { taskByName } from '../allTasks.ts';
import { rightPieces } from './stepReward.ts';

const WORKED = '7 + 8 = 15\n15 - 6 = 9';

describe('the share of worked steps that are in their place', () => {
  test.each([
    ['all of them', WORKED, 1],
    ['four of five on the first line, nothing more', '7 + 8 = 16', 4 / 10],
    ['one wrong number on each line', '7 + 8 = 16\n15 - 7 = 9', 8 / 10],
    ['a line that is not begun', '7 + 8 = 15', 5 / 10],
    ['a line with a piece too many', '7 + 8 = 15 15\n15 - 6 = 9', 5 / 10],
    ['a line too many', `${WORKED}\n9 - 1 = 8`, 0],
    ['spaces that differ', ' 7  + 8 = 15 \n15 - 6 = 9', 1],
    ['nothing', '', 0],
  ])('%s', (_, work, share) => {
    expect(rightPieces(work, WORKED)).toBeCloseTo(share, 12);
  });

  test('of no steps it is 0', () => {
    expect([rightPieces('', ''), rightPieces('7', '')]).toEqual([0, 0]);
  });
});

describe('a task of reasoning-gym', () => {
  const task = taskByName('chain_sum');
  const config = { ...task.defaults, min_terms: 2, max_terms: 2, min_digits: 2, max_digits: 2 };
  const problem = task.generate(0, 'train', 0, config);
  const worked = task.workedAnswer(problem);
  const [work = ''] = worked.split('\n<answer>');
  const rewardOf = (text: string, step_weight: number) =>
    task.score(
      problem,
      { text, tokens: [], stopReason: 'eos' },
      { mode: 'strict', config: { ...config, step_weight } },
    );

  test('pays for steps in front of the answer, with tags or without', () => {
    expect(rewardOf(worked, 2)).toMatchObject({ total: 3.2, correct: true, parts: { steps: 2 } });
    expect(rewardOf(`${work}\n<answer>0</answer>`, 2)).toMatchObject({ correct: false, parts: { steps: 2 } });
    expect(rewardOf(`${work}\nAnswer: 0`, 2)).toMatchObject({ correct: false, parts: { steps: 2 } });
    expect(rewardOf(`<answer>${problem.answer}</answer>`, 2)).toMatchObject({
      correct: true,
      parts: { steps: 0 },
    });
  });

  test('pays nothing for them by default', () => {
    expect(config).toMatchObject({ step_weight: 0 });
    expect(rewardOf(worked, 0).parts).toEqual({ accuracy: 1, format: 0.2 });
  });

  test('has the setting only where there are steps to show', () => {
    expect(Object.keys(taskByName('dice').fields)).not.toContain('step_weight');
  });
});
