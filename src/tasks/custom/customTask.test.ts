import { describe, expect, it } from 'vitest';
import { scoreItems } from '../define/define.ts';
import type { Completion, Problem, Reward, Split } from '../define/types.ts';
import { GRADER_DEFAULTS, graderSettings, type CustomTask } from '../define/definition.ts';
import { rewardOf } from '../sandbox/sandbox.ts';
import { customTask, customTaskErrors } from './customTask.ts';

function definition(count: number, change: Partial<CustomTask> = {}): CustomTask {
  const rows = Array.from({ length: count }, (_, i) => ({
    question: `What is ${i} + 1?`,
    answer: `${i + 1}`,
  }));
  return { name: 'successor', rows, grader: GRADER_DEFAULTS.answer_tag, system: '', ...change };
}

const completion = (text: string): Completion => ({ text, tokens: [], stopReason: 'eos' });
const SETTINGS = { mode: 'strict', config: { format_weight: 0.2 } } as const;

function questions(
  task: ReturnType<typeof customTask>,
  seed: number,
  split: Split,
  from: number,
  to: number,
) {
  const { defaults } = task;
  return Array.from({ length: to - from }, (_, i) => task.generate(seed, split, from + i, defaults).question);
}

describe('the rows of an own task', () => {
  const task = customTask(definition(500));
  const evaluation = new Set(questions(task, 1, 'eval', 0, 1000));
  const training = new Set(questions(task, 1, 'train', 0, 1000));

  it('are all asked, each on one side', () => {
    expect(evaluation.size + training.size).toBe(500);
    expect([...evaluation].filter((question) => training.has(question))).toEqual([]);
    // Binomial with n = 500, p = 0.2: six standard deviations.
    expect(Math.abs(evaluation.size - 100)).toBeLessThan(54);
  });

  it('come once in each epoch, in an order of its own', () => {
    const n = training.size;
    const [first, second] = [questions(task, 3, 'train', 0, n), questions(task, 3, 'train', n, 2 * n)];
    expect(new Set(first)).toEqual(training);
    expect(new Set(second)).toEqual(training);
    expect(second).not.toEqual(first);
    expect(questions(task, 4, 'train', 0, n)).not.toEqual(first);
  });

  it('depend on (seed, split, index) alone, whatever was asked before', () => {
    const again = customTask(definition(500));
    const place = training.size + 17;
    expect(again.generate(3, 'train', place, {})).toEqual(task.generate(3, 'train', place, {}));
    questions(again, 9, 'eval', 0, 10);
    expect(again.generate(3, 'train', 5, {})).toEqual(task.generate(3, 'train', 5, {}));
  });

  it('bring their own system prompt and the turns before the question', () => {
    const earlier = [
      { role: 'user' as const, content: '1+1?' },
      { role: 'assistant' as const, content: '2' },
    ];
    const rows = definition(60).rows.map((row) => ({ ...row, system: 'Be brief.', earlier }));
    const asked = customTask(definition(60, { rows, system: 'Think.' }));
    const problem = asked.generate(1, 'train', 0, {});
    const question = { role: 'user', content: problem.question };
    expect(asked.messages(problem, 'full')).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...earlier,
      question,
    ]);
    expect(asked.messages(problem, 'compact')).toEqual([question]);
  });

  it('are held out where the source has a test part, whose questions are not trained on', () => {
    const { rows } = definition(20);
    const [asked, other] = [rows.slice(0, 3), rows.slice(3)];
    const parted = [...other, ...asked, ...asked.map((row) => ({ ...row, test: true as const }))];
    const own = customTask(definition(0, { rows: parted }));
    expect(new Set(questions(own, 1, 'eval', 0, 3))).toEqual(new Set(asked.map(({ question }) => question)));
    expect(new Set(questions(own, 1, 'train', 0, 17))).toEqual(
      new Set(other.map(({ question }) => question)),
    );
  });

  it('may bring a system prompt of their own', () => {
    const rows = definition(40).rows.map((row, i) => (i % 2 === 0 ? { ...row, system: row.answer } : row));
    const own = customTask(definition(0, { rows, system: 'of the task' }));
    for (let index = 0; index < 20; index++) {
      const problem = own.generate(1, 'train', index, {});
      const expected = Number(problem.answer) % 2 === 1 ? problem.answer : 'of the task';
      expect(own.messages(problem, 'full')[0]).toEqual({ role: 'system', content: expected });
    }
  });

  it('keep their side when the task is renamed', () => {
    const renamed = customTask(definition(500, { name: 'other' }));
    expect(new Set(questions(renamed, 1, 'eval', 0, 1000))).toEqual(evaluation);
  });

  it('are on the same side when they ask the same', () => {
    const rows = definition(60).rows;
    const doubled = customTask(
      definition(0, { rows: [...rows, ...rows.map((row) => ({ ...row, answer: 'x' }))] }),
    );
    const sides = (['train', 'eval'] as const).map((split) => new Set(questions(doubled, 0, split, 0, 200)));
    expect((sides[0]?.size ?? 0) + (sides[1]?.size ?? 0)).toBe(60);
  });
});

describe('scoring', () => {
  it('adds the weight of the format to the accuracy', () => {
    const task = customTask(definition(100));
    const problem = task.generate(0, 'train', 0, task.defaults);
    const right = task.score(problem, completion(task.workedAnswer(problem)), SETTINGS);
    expect(right).toMatchObject({
      total: 1.2,
      parts: { accuracy: 1, format: 0.2 },
      correct: true,
      format: true,
    });
    const wrong = task.score(problem, completion('<answer>no</answer>'), SETTINGS);
    expect(wrong).toMatchObject({
      total: 0.2,
      correct: false,
      reason: 'Wrong: found “no”, expected 41.',
      extracted: 'no',
    });
    expect(task.score(problem, completion(''), SETTINGS)).toMatchObject({
      total: 0,
      reason: 'No <answer> tag found.',
      extracted: null,
    });
  });

  it('asks a program for all completions at once', async () => {
    const asked: string[] = [];
    const grader = { ...GRADER_DEFAULTS.code, source: 'source' };
    const task = customTask(definition(100, { grader }), async (source, items) => {
      asked.push(source);
      return items.map((_, i): Reward => ({
        total: i,
        parts: {},
        correct: false,
        format: true,
        reason: '',
        extracted: null,
      }));
    });
    const problem: Problem = task.generate(0, 'eval', 0, task.defaults);
    const items = ['a', 'b', 'c'].map((text) => ({ problem, completion: completion(text) }));
    expect((await scoreItems(task, items, SETTINGS)).map(({ total }) => total)).toEqual([0, 1, 2]);
    expect(asked).toEqual(['source']);
    expect(() => task.score(problem, completion('a'), SETTINGS)).toThrow('scoreAll');
  });

  it('leaves out the answers for which the program fails, where the definition says so', async () => {
    const scored = { total: 1, parts: {}, correct: true, format: true, reason: '', extracted: null };
    const flags = async (leaveOutFailures: boolean) => {
      const grader = { ...GRADER_DEFAULTS.code, source: 'source', leaveOutFailures };
      const task = customTask(definition(100, { grader }), async (_, items) =>
        items.map(({ completion: { text } }) =>
          rewardOf(text === 'b' ? { error: 'no b', logs: [] } : { scored, logs: [] }),
        ),
      );
      const problem = task.generate(0, 'train', 0, task.defaults);
      const items = ['a', 'b'].map((text) => ({ problem, completion: completion(text) }));
      return (await scoreItems(task, items, SETTINGS)).map(({ error, leftOut }) => [error, leftOut]);
    };
    expect(await flags(true)).toEqual([
      [undefined, undefined],
      ['no b', true],
    ]);
    expect((await flags(false)).map(([, leftOut]) => leftOut)).toEqual([undefined, undefined]);
    // A task that was kept before there was the setting.
    const { leaveOutFailures: _, ...before } = { ...GRADER_DEFAULTS.code, source: 'source' };
    expect(graderSettings.parse(before)).toEqual({ ...before, leaveOutFailures: false });
  });

  it('asks every other task for one at a time', async () => {
    const task = customTask(definition(100));
    const problem = task.generate(0, 'train', 0, task.defaults);
    const items = [task.workedAnswer(problem), ''].map((text) => ({ problem, completion: completion(text) }));
    expect((await scoreItems(task, items, SETTINGS)).map(({ correct }) => correct)).toEqual([true, false]);
  });
});

describe('what is said of a bad definition', () => {
  it('names the number of questions found and needed', () => {
    expect(customTaskErrors(definition(0)).join()).toMatch(
      /^0 different questions are left for training.*at least 2/,
    );
    const row = { question: 'same', answer: '1' };
    expect(customTaskErrors(definition(0, { rows: Array.from({ length: 50 }, () => row) })).join()).toMatch(
      /[01] different questions? (is|are) left for training/,
    );
    expect(customTaskErrors(definition(60))).toEqual([]);
  });

  it('names rows that the grader can not grade', () => {
    const rows = definition(60).rows.map((row, i) => (i % 20 === 3 ? { ...row, answer: 'many' } : row));
    const [error] = customTaskErrors(definition(0, { rows, grader: GRADER_DEFAULTS.number }));
    expect(error).toMatch(
      /^3 of 60 rows can't be graded: row 4 \("many"\), row 24 \("many"\), row 44 \("many"\): its answer can’t be read whole/,
    );
  });

  it('names rows whose worked answer their own grader does not find right', () => {
    const rows = definition(60).rows.map((row, i) => (i === 7 ? { ...row, answer: 'two\nlines' } : row));
    const [error] = customTaskErrors(definition(0, { rows, grader: GRADER_DEFAULTS.regex }));
    expect(error).toMatch(
      /^1 of 60 rows can't be graded: row 8 \("two\\nlines"\): the grader reads "two" in the worked answer/,
    );
    const patterns = { ...GRADER_DEFAULTS.regex, pattern: '' };
    expect(customTaskErrors(definition(60, { grader: patterns }))).toEqual([]);
  });

  it('asks for the part of an answer that counts', () => {
    const rows = definition(60).rows.map(({ question, answer }) => ({
      question,
      answer: `1 + 1\n#### ${answer}`,
    }));
    for (const grader of [GRADER_DEFAULTS.number, GRADER_DEFAULTS.boxed]) {
      const task = customTask(definition(0, { rows, grader }));
      const problem = task.generate(0, 'train', 0, task.defaults);
      expect(problem.answer).toMatch(/^\d+$/);
      const right = task.score(problem, completion(task.workedAnswer(problem)), SETTINGS);
      expect(right).toMatchObject({ correct: true, format: true });
    }
  });

  it('explains a pattern, a name and an empty program', () => {
    const regex = { ...GRADER_DEFAULTS.regex, pattern: '(' };
    expect(customTaskErrors(definition(60, { grader: regex })).join()).toContain("can't be used");
    expect(customTaskErrors(definition(60, { name: '/etc' })).join()).toContain('name');
    expect(customTaskErrors(definition(60, { grader: GRADER_DEFAULTS.code })).join()).toContain('source');
    expect(() => customTask(definition(1))).toThrow(/own:successor: .*at least 2/);
  });
});
