import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { arithmetic, lastWithoutCommas } from './arithmetic.ts';
import { drawsFor } from '@rl-playground/base/random';
import type { StopReason } from '@rl-playground/base/conversation';
import type { TaskConfig } from './define/types.ts';

describeShared("the cookbook's last integer", 'refdata/math/arithmetic_extract_final_int.jsonl', (path) => {
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { input: string; output: number | null });

  it.each(rows)('of $input is $output', ({ input, output }) =>
    expect(lastWithoutCommas(input)).toBe(output === null ? null : `${output}`),
  );
});

describe('addition', () => {
  const problems = Array.from({ length: 1000 }, (_, i) =>
    arithmetic.generate(7, 'train', i, arithmetic.defaults),
  );

  it('asks for sums of two numbers from 0 to 100, all of them', () => {
    const numbers = problems.flatMap(({ compact }) => compact.match(/\d+/g)?.map(Number) ?? []);
    expect(numbers).toHaveLength(2000);
    expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([0, 100]);
    for (const { compact, question, answer } of problems) {
      const [x = NaN, y = NaN] = compact.match(/\d+/g)?.map(Number) ?? [];
      expect(compact).toBe(`tinker_arithmetic ${x} + ${y}`);
      expect(question).toContain(`${x} plus ${y}`);
      expect(Number(answer)).toBe(x + y);
    }
  });

  it('works a sum out column by column', () => {
    const problem = problems.find(({ compact }) => /\d\d \+ \d\d$/.test(compact));
    if (problem === undefined) throw new Error('No sum of two numbers of two digits.');
    const data = { x: 47, y: 85 };
    expect(arithmetic.workedAnswer({ ...problem, data, answer: '132' })).toBe(
      '7 + 5 = 12\n4 + 8 + 1 = 13\n132',
    );
    expect(arithmetic.workedAnswer({ ...problem, data: { x: 0, y: 0 }, answer: '0' })).toBe('0 + 0 = 0\n0');
    expect(arithmetic.workedAnswer({ ...problem, data: { x: 100, y: 7 }, answer: '107' })).toBe(
      '0 + 7 = 7\n0 + 0 = 0\n1 + 0 = 1\n107',
    );
  });

  it('demonstrates what is right', () => {
    for (const [i, problem] of problems.entries())
      expect(lastWithoutCommas(arithmetic.demonstration(problem, drawsFor(3, i)))).toBe(problem.answer);
  });

  const reward = (text: string, stopReason: StopReason, config: TaskConfig = {}) => {
    const [problem] = problems;
    if (problem === undefined) throw new Error('No problem.');
    const settings = { mode: 'strict' as const, config: { ...arithmetic.defaults, ...config } };
    return arithmetic.score({ ...problem, answer: '1234' }, { text, tokens: [], stopReason }, settings);
  };

  it.each([
    ['1,234', 'stop', {}, 1],
    ['1234', 'max_tokens', {}, 0.9],
    ['12 + 4 = 1234.', 'eos', {}, 1],
    ['1234', 'eos', { require_stop_string: true }, 0.9],
    ['1234', 'stop', { require_stop_string: true }, 1],
    ['1234 or 5', 'stop', {}, 0],
    ['', 'max_tokens', {}, -0.1],
    ['', 'max_tokens', { format_weight: 0.5 }, -0.5],
  ] as const)('pays for %j ended by %s with %j: %d', (text, stopReason, config, total) =>
    expect(reward(text, stopReason, config).total).toBeCloseTo(total, 12),
  );
});
