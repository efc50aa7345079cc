import { describe, expect, it } from 'vitest';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import type { Completion } from '@rl-playground/tasks/parts';
import { askedMessages, heldOutProblem, rewardOf, wordsOf } from './asked.ts';

const config = { ...defaultConfig('reverse_digits'), seed: 3 };
const said = (text: string): Completion => ({ text, tokens: [], stopReason: 'eos' });

describe('a held-out problem', () => {
  it('is scored by its task, reward and all', async () => {
    const problem = heldOutProblem(config, 0);
    if (problem === null) throw new Error('The task draws no problem.');
    expect(problem.split).toBe('eval');
    const right = await rewardOf(problem, said(`[ANSWER] ${problem.answer}`), config);
    expect(right).toMatchObject({ correct: true, extracted: problem.answer });
    expect(right?.total).toBeGreaterThan(0);
    expect(await rewardOf(problem, said('[ANSWER] 1'), config)).toMatchObject({
      correct: false,
      extracted: '1',
    });
  });

  it('comes in the words of its task, and other words as they are to a model that reads English', () => {
    const problem = heldOutProblem(config, 0);
    const full = wordsOf(problem, 'full');
    expect(askedMessages(full, problem, 'full').at(-1)?.content).toContain(full);
    expect(askedMessages(full, problem, 'full')).not.toEqual([{ role: 'user', content: full }]);
    expect(askedMessages('Hello', problem, 'full')).toEqual([{ role: 'user', content: 'Hello' }]);
    expect(askedMessages('Hello', null, 'compact')).toEqual([{ role: 'user', content: 'Hello' }]);
    expect(askedMessages('reverse 12', problem, 'compact').at(-1)?.content).toBe('reverse 12');
  });

  it('of a mixture is scored by its own task, and the tasks take turns', async () => {
    const mixture: RunConfig['mixture'] = [
      { task: 'gcd', weight: 3, config: {} },
      { task: 'reverse_digits', weight: 1, config: { min_digits: 2, max_digits: 2 } },
    ];
    const mixed = { ...config, task: 'mixture', mixture };
    const problems = [0, 1, 2].map((index) => heldOutProblem(mixed, index));
    expect(problems.map((problem) => problem?.task)).toEqual(['gcd', 'reverse_digits', 'gcd']);
    expect(problems[0]?.question).not.toBe(problems[2]?.question);
    const [, problem] = problems;
    if (!problem) throw new Error('The mixture draws no problem.');
    expect(problem.question).toMatch(/\b\d\d\b/);
    const reward = await rewardOf(problem, said(`[ANSWER] ${problem.answer}`), mixed);
    expect(reward).toMatchObject({ correct: true, extracted: problem.answer });
    expect(heldOutProblem({ ...mixed, mixture: [] }, 0)).toBeNull();
    expect(await rewardOf(problem, said('21'), { ...mixed, mixture: [] })).toBeNull();
  });
});
