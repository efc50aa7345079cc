import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { gsm8kTask } from './gsm8k.ts';
import type { StopReason } from '@rl-playground/base/conversation';
import type { DatasetRow, TaskConfig } from './define/types.ts';

const rows = (count: number, word: string): DatasetRow[] =>
  Array.from({ length: count }, (_, i) => ({
    question: `${word} ${i}?`,
    answer: `It is <<${i}+1000=${i + 1000}>>${i + 1000}.\n#### 1,${String(i).padStart(3, '0')}`,
  }));

function loaded() {
  const task = gsm8kTask();
  task.dataset?.provide({ train: rows(50, 'train'), test: rows(20, 'test') });
  return task;
}

describe('rows', () => {
  it('are needed before a problem can be asked', () => {
    const task = gsm8kTask();
    expect(task.dataset?.counts()).toBeNull();
    expect(() => task.generate(0, 'train', 0, task.defaults)).toThrow(
      /not loaded: there are 0 problems.*drop/s,
    );
  });

  it('come once each in every epoch, in an order that the seed decides', () => {
    const task = loaded();
    const epoch = (seed: number, from: number) =>
      Array.from({ length: 50 }, (_, i) => task.generate(seed, 'train', from + i, task.defaults).question);
    const first = epoch(1, 0);
    expect(new Set(first).size).toBe(50);
    expect(epoch(1, 0)).toEqual(first);
    expect(epoch(1, 50)).not.toEqual(first);
    expect(epoch(1, 50).toSorted()).toEqual(first.toSorted());
    expect(epoch(2, 0)).not.toEqual(first);
  });

  it('keep to their side, and what is tested is not trained on', () => {
    const task = gsm8kTask();
    const result = task.dataset?.provide({
      train: [...rows(50, 'train'), ...rows(5, 'test')],
      test: rows(20, 'test'),
    });
    expect(result).toEqual({ counts: { train: 50, eval: 20 }, leftOut: 0 });
    for (let i = 0; i < 60; i++) {
      expect(task.generate(3, 'train', i, task.defaults).question).toMatch(/^train/);
      expect(task.generate(3, 'eval', i, task.defaults).question).toMatch(/^test/);
    }
  });

  it('are split where there is no test', () => {
    const task = gsm8kTask();
    task.dataset?.provide({ train: rows(400, 'q'), test: [] });
    const counts = task.dataset?.counts();
    expect((counts?.train ?? 0) + (counts?.eval ?? 0)).toBe(400);
    // Three standard deviations of 400 draws at one in five.
    expect(Math.abs((counts?.eval ?? 0) - 80)).toBeLessThan(3 * 8);
  });

  it('without an answer are left out, and too few are refused with those before kept', () => {
    const task = loaded();
    const bad = { question: 'a?', answer: 'nobody knows' };
    const bare = { question: 'b?', answer: '1,200' };
    expect(task.dataset?.provide({ train: [...rows(3, 'train'), bad, bare], test: rows(2, 'test') })).toEqual(
      {
        counts: { train: 4, eval: 2 },
        leftOut: 1,
      },
    );
    expect(() => task.dataset?.provide({ train: [bad, bad], test: rows(2, 'test') })).toThrow(
      /0 problems are left for training.*2 rows had no answer/,
    );
    expect(task.dataset?.counts()).toEqual({ train: 4, eval: 2 });
  });
});

describe('a problem', () => {
  it('is asked behind a worked example, in user and assistant turns', () => {
    const task = loaded();
    const problem = task.generate(0, 'train', 0, task.defaults);
    const messages = task.messages(problem, 'full');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1]?.content).toMatch(/\\boxed\{16\}$/);
    expect(messages[2]?.content).toBe(`${problem.question} Put your final answer inside \\boxed{}.`);
    const bare = task.generate(0, 'train', 0, { ...task.defaults, few_shot: false });
    expect(task.messages(bare, 'full')).toEqual(messages.slice(2));
  });

  const reward = (text: string, stopReason: StopReason, config: TaskConfig = {}) => {
    const task = loaded();
    const problem = { ...task.generate(0, 'train', 0, task.defaults), answer: '1018' };
    const settings = { mode: 'upstream' as const, config: { ...task.defaults, ...config } };
    return task.score(problem, { text, tokens: [], stopReason }, settings);
  };

  it.each([
    ['so \\boxed{1,018}', 'stop', {}, 1],
    ['so \\boxed{1018.0}', 'eos', {}, 1],
    ['so \\boxed{1018}', 'eos', { require_stop_string: true }, 0.9],
    ['so \\boxed{1018}', 'max_tokens', {}, 0.9],
    ['so \\boxed{18}', 'stop', {}, 0],
    ['so 1018', 'stop', {}, -0.1],
    ['} so \\boxed{1018}', 'stop', {}, -0.1],
    ['so 1018', 'stop', { format_weight: 1 }, -1],
  ] as const)('pays for %j ended by %s with %j: %d', (text, stopReason, config, total) =>
    expect(reward(text, stopReason, config).total).toBeCloseTo(total, 12),
  );
});

describeShared('the dataset itself', 'refdata/gsm8k', (folder) => {
  const parse = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, string>);
  const train = parse(gunzipSync(readFileSync(`${folder}/train.jsonl.gz`)).toString());
  const test = parse(readFileSync(`${folder}/test.jsonl`, 'utf8'));
  const finals = parse(gunzipSync(readFileSync(`${folder}/final_answers.jsonl.gz`)).toString());

  it('gives a problem with the right answer for every row, and its solution earns 1', () => {
    const task = gsm8kTask();
    const toRow = ({ question = '', answer = '' }: Record<string, string>) => ({ question, answer });
    const given = task.dataset?.provide({ train: train.map(toRow), test: test.map(toRow) });
    expect(given).toEqual({ counts: { train: train.length, eval: test.length }, leftOut: 0 });
    const answers = new Map<string, string>();
    const settings = { mode: 'strict' as const, config: task.defaults };
    for (const [split, count] of [
      ['train', train.length],
      ['eval', test.length],
    ] as const) {
      for (let i = 0; i < count; i++) {
        const problem = task.generate(11, split, i, task.defaults);
        answers.set(problem.question, problem.answer);
        const text = task.workedAnswer(problem);
        expect(text).not.toContain('<<');
        const { total } = task.score(problem, { text, tokens: [], stopReason: 'stop' }, settings);
        expect({ text, total }).toEqual({ text, total: 1 });
      }
    }
    for (const { split, index, final } of finals) {
      if (split !== 'train') continue;
      expect(answers.get((train[Number(index)]?.['question'] ?? '').trim())).toBe(final);
    }
  });
});
