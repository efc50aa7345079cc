import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { endingFault, scoreCleanDigits, sumDigitsTitan } from './sumDigits.ts';

interface Row {
  readonly id: string;
  readonly input: string;
  readonly expected: number;
  readonly correct: boolean;
  readonly reward_rl_sum_digits: number;
}

describeShared("TorchTitan's reward", 'refdata/digits/extract_answer.jsonl', (path) => {
  it('agrees on every row', () => {
    const lines = readFileSync(path, 'utf8').split('\n');
    for (const line of lines.filter((each) => each !== '')) {
      const row = JSON.parse(line) as Row;
      const { total, correct } = scoreCleanDigits(`${row.expected}`, row.input, 0.2);
      expect({ id: row.id, total, correct }).toEqual({
        id: row.id,
        total: row.reward_rl_sum_digits,
        correct: row.correct,
      });
    }
  });
});

it.each([
  ['4 + 8 = 12\n[ANSWER] 12', true],
  ['[ANSWER]\n-12 \n', true],
  ['[ANSWER] 12.', false],
  ['[ANSWER] 12 done', false],
  ['[ANSWER] 12 [ANSWER] 12', false],
  ['[ANSWER]', false],
  ['12', false],
])('%j ends in one tagged number: %s', (text, clean) => expect(endingFault(text) === null).toBe(clean));

it('asks for digits of two to four numbers of two digits', () => {
  const problems = Array.from({ length: 600 }, (_, i) =>
    sumDigitsTitan.generate(5, 'eval', i, sumDigitsTitan.defaults),
  );
  const lists = problems.map(({ compact }) => compact.split(' ').slice(1).map(Number));
  expect(new Set(lists.map(({ length }) => length))).toEqual(new Set([2, 3, 4]));
  expect([Math.min(...lists.flat()), Math.max(...lists.flat())]).toEqual([10, 99]);
  const sums = lists.map((list) => Array.from(list.join('')).reduce((sum, digit) => sum + Number(digit), 0));
  expect(problems.map(({ answer }) => Number(answer))).toEqual(sums);
});

it('pays for right steps where the setting says so, whatever the end', () => {
  const problem = {
    ...sumDigitsTitan.generate(5, 'train', 0, {}),
    answer: '15',
    data: { numbers: [12, 48] },
  };
  const rewardOf = (text: string, step_weight: number) =>
    sumDigitsTitan.score(
      problem,
      { text, tokens: [], stopReason: 'eos' },
      { mode: 'strict', config: { clean_bonus: 0.2, step_weight } },
    );
  // Three of four: 3 + 4 is not 8, and 16 follows from 8 + 8.
  const slip = '1 + 2 = 3 + 4 = 8 + 8 = 16\n[ANSWER] 16';
  expect(rewardOf(slip, 4)).toMatchObject({ total: 2, correct: false, parts: { correct: -1, steps: 3 } });
  expect(rewardOf(slip, 0)).toMatchObject({ total: -1, parts: { correct: -1, clean: 0 } });
});

it('pays the bonus for its own worked answer', () => {
  const problem = sumDigitsTitan.generate(5, 'train', 0, {});
  const completion = { text: sumDigitsTitan.workedAnswer(problem), tokens: [], stopReason: 'eos' as const };
  const settings = { mode: 'strict' as const, config: { clean_bonus: 0.5, step_weight: 0 } };
  expect(sumDigitsTitan.score(problem, completion, settings)).toMatchObject({
    total: 1.5,
    correct: true,
    format: true,
  });
});
