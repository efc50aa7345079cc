import { describe, expect, it } from 'vitest';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { customTask, setCustomTasks, type Completion } from '@rl-playground/tasks/parts';
import { heldOutProblem, sameAnswer, verdictOn } from './verdict.ts';

const config = { ...defaultConfig('reverse_digits'), seed: 3 };
const said = (text: string): Completion => ({ text, tokens: [], stopReason: 'eos' });

describe('the grader’s verdict', () => {
  it('on a held-out problem is the task’s own, reward and all', async () => {
    const problem = heldOutProblem(config, 0);
    expect(problem?.split).toBe('eval');
    const asked = { text: 'x', answer: problem?.answer ?? '', problem, untouched: true };
    const right = await verdictOn(asked, said(`[ANSWER] ${problem?.answer}`), config);
    expect(right).toMatchObject({ correct: true, read: problem?.answer });
    expect(right?.reward?.total).toBeGreaterThan(0);
    expect(await verdictOn(asked, said('[ANSWER] 1'), config)).toMatchObject({ correct: false, read: '1' });
  });

  it('on a problem of one’s own is what was read against the answer that is said to be right', async () => {
    const problem = heldOutProblem(config, 0);
    const own = { text: 'reverse 120', answer: '21', problem, untouched: false };
    expect(await verdictOn(own, said('0 2 1\n[ANSWER] 21'), config)).toEqual({
      correct: true,
      reward: null,
      read: '21',
    });
    expect(await verdictOn(own, said('[ANSWER] 12'), config)).toMatchObject({ correct: false });
    const unknown = { ...own, answer: '' };
    expect(await verdictOn(unknown, said('[ANSWER] 12'), config)).toMatchObject({
      correct: null,
      read: '12',
    });
  });

  it('on a changed row of one’s own task is its grader’s, which takes more than the same words', async () => {
    const task = customTask({
      name: 'capitals',
      system: '',
      rows: Array.from({ length: 40 }, (_, i) => ({ question: `Half of ${i}?`, answer: String(i / 2) })),
      grader: { kind: 'number', absolute: 0.1, relative: 0, percent: false },
    });
    setCustomTasks([task]);
    const own = { ...config, task: task.name };
    const problem = heldOutProblem(own, 0);
    const asked = { text: 'Half of 9?', answer: '4.5', problem, untouched: false };
    const close = await verdictOn(asked, said('4.45'), own);
    expect(close).toMatchObject({ correct: true, read: '4.45' });
    expect(close?.reward?.total).toBeGreaterThan(0);
    expect(await verdictOn(asked, said('5'), own)).toMatchObject({ correct: false });
    expect(await verdictOn({ ...asked, answer: '' }, said('4.5'), own)).toMatchObject({
      correct: null,
      reward: null,
    });
    setCustomTasks([]);
  });

  it('is none outside of any task', async () => {
    const asked = { text: 'Hello', answer: '', problem: null, untouched: false };
    expect(await verdictOn(asked, said('Hi'), config)).toBeNull();
  });

  it('of a mixture is that of the problem’s own task, and the tasks take turns', async () => {
    const mixture: RunConfig['mixture'] = [
      { task: 'gcd', weight: 3, config: {} },
      { task: 'reverse_digits', weight: 1, config: { min_digits: 2, max_digits: 2 } },
    ];
    const mixed = { ...config, task: 'mixture', mixture };
    const problems = [0, 1, 2].map((index) => heldOutProblem(mixed, index));
    expect(problems.map((problem) => problem?.task)).toEqual(['gcd', 'reverse_digits', 'gcd']);
    expect(problems[0]?.question).not.toBe(problems[2]?.question);
    const [, problem] = problems;
    expect(problem?.question).toMatch(/\b\d\d\b/);
    const asked = { text: 'x', answer: problem?.answer ?? '', problem: problem ?? null, untouched: true };
    const verdict = await verdictOn(asked, said(`[ANSWER] ${problem?.answer}`), mixed);
    expect(verdict).toMatchObject({ correct: true, read: problem?.answer });
    expect(verdict?.reward?.total).toBeGreaterThan(0);
    expect(heldOutProblem({ ...mixed, mixture: [] }, 0)).toBeNull();
  });

  it('takes numbers that are the same for the same answer', () => {
    expect(sameAnswer('021', '21')).toBe(true);
    expect(sameAnswer(' yes ', 'yes')).toBe(true);
    expect(sameAnswer('', '0')).toBe(false);
    expect(sameAnswer('21', '12')).toBe(false);
  });
});
