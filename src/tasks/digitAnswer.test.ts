import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLinear } from '@rl-playground/base/testing/processorTime';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { describeShared } from '@rl-playground/base/testing/shared';
import { extractDigits, scoreDigits } from './digitAnswer.ts';
import { drawsFor, uniformInt } from '@rl-playground/base/random';
import type { MatchedBy } from './define/types.ts';

interface Row {
  readonly id: string;
  readonly input: string;
  readonly matched_by: MatchedBy;
  readonly extracted_str: string | null;
  readonly expected: number;
  readonly correct: boolean;
  readonly has_answer_tag: boolean;
  readonly reward_monarch: number;
}

describeShared('extraction against the reference system', 'refdata/digits/extract_answer.jsonl', (path) => {
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

  it('has rows', () => expect(rows.length).toBeGreaterThan(300));

  it.each(rows)('$id agrees', (row) => {
    const truth = String(row.expected);
    const reward = scoreDigits(truth, row.input, 'tag_required');
    expect(reward).toMatchObject({
      extracted: row.extracted_str,
      matchedBy: row.matched_by,
      correct: row.correct,
      format: row.has_answer_tag,
      total: row.reward_monarch,
    });
    expect(scoreDigits(truth, row.input, 'correct_only').total).toBe(row.correct ? 1 : -1);
  });
});

// Values from Python's re module, run on the patterns that the stages describe.
const CASES: readonly (readonly [string, string | null, MatchedBy])[] = [
  ['1 + 2 = 28\n[ANSWER] 28', '28', 'tag'],
  ['[ANSWER] 5 and then [ANSWER] 7', '7', 'tag'],
  ['[ANSWER] 5 and then [ANSWER] none', '5', 'tag'],
  ['[ANSWER]\n-3', '-3', 'tag'],
  ['[ANSWER] 12.9', '12', 'tag'],
  ['[ANSWER] - 3', '3', 'last'],
  ['[ANSWER][ANSWER]4', '4', 'tag'],
  ['[ANSWER] -0', '0', 'tag'],
  ['[ANSWER] -000', '0', 'tag'],
  ['[ANSWER]: 28', '28', 'last'],
  ['[ANSWER] **28**', '28', 'last'],
  ['[answer] 28', '28', 'last'],
  ['Answer: 28.', '28', 'phrase'],
  ['ANSWER:28 or AnSwEr iS\t29', '29', 'phrase'],
  ['the answer is 7, because 3+4=7 and 9', '7', 'phrase'],
  ['the answer  is 7 8', '8', 'last'],
  ['x = 1,234', '234', 'last'],
  ['1 + 2 = 3', '3', 'equals'],
  ['1 + 2 = 3. ', '3', 'equals'],
  ['1 + 2 = 3 .', '3', 'last'],
  ['1 + 2 = 3.The Answer', '3', 'equals'],
  ['= 3 the anſwer, = 4 so', '3', 'equals'],
  ['= 3\n\n\n', '3', 'equals'],
  ['= 12-', '12', 'last'],
  ['digits 12-3', '-3', 'last'],
  ['1--3', '-3', 'last'],
  ['7\u22123', '3', 'last'],
  ['no digits', null, 'none'],
  ['', null, 'none'],
  ['-', null, 'none'],
  ['[ANSWER]\ufeff7', '7', 'last'],
  ['[ANSWER]\x1c\x857', '7', 'tag'],
  ['[ANSWER]\u200b7 8', '8', 'last'],
  ['answer ıſ 5 6', '5', 'phrase'],
  ['AN\u017fWER İ\u017f 5 6', '5', 'phrase'],
  ['\u0967\u0968\u0969', '123', 'last'],
  ['[ANSWER] \u{1d7d9}\u{1d7e2}\u{1d7f7}', '101', 'tag'],
  ['\u{1d7ff}', '9', 'last'],
  ['5 \u00b2\u2460\u2167', '5', 'last'],
  ['5 \ud835', '5', 'last'],
];

describe('extractDigits', () => {
  it.each(CASES)('reads %j as %s by %s', (text, value, stage) => {
    expect(extractDigits(text)).toEqual({ value, matchedBy: stage });
  });

  it('keeps every digit of a long number', () => {
    const digits = `9${'0123456789'.repeat(2000)}`;
    expect(extractDigits(`[ANSWER] -00${digits}`).value).toBe(`-${digits}`);
  });

  it('counts a tag without a number as format, and falls back for the value', () => {
    expect(scoreDigits('28', '[ANSWER] unknown, 28', 'tag_required')).toEqual({
      total: 1,
      parts: { correct: 1, format: 0 },
      reason: 'Right.',
      correct: true,
      format: true,
      extracted: '28',
      matchedBy: 'last',
    });
  });

  it('never throws on random text, and its answer is a canonical integer', () => {
    const pieces = [
      '[ANSWER]',
      'answer',
      ' is',
      ':',
      '=',
      '-',
      '.',
      ' ',
      '\n',
      'The ',
      '0',
      '7',
      '42',
      ',',
      'ſ',
      '\u0663',
    ];
    for (let round = 0; round < (everyProof ? 20_000 : 5000); round++) {
      const draw = drawsFor(99, round);
      let text = '';
      for (let left = uniformInt(draw, 0, 30); left > 0; left--) {
        const piece = pieces[uniformInt(draw, 0, pieces.length + 4)];
        text += piece ?? String.fromCharCode(uniformInt(draw, 0, 0xffff));
      }
      const { value, matchedBy } = extractDigits(text);
      expect(value === null).toBe(matchedBy === 'none');
      expect(value === null ? null : String(BigInt(value))).toBe(value);
    }
  });

  it.each([
    '1',
    ' ',
    '-',
    '= ',
    '=1',
    '= 1 ',
    '[ANSWER]',
    '[ANSWER] ',
    'answer: ',
    'the answer is',
    '\u0663',
    '0',
  ])('takes linear time on hostile text: %j', (unit) => {
    const around: readonly (readonly [before: string, after: string])[] = [
      ['', 'x'],
      ['= 1', 'x'],
      ['[ANSWER]', ''],
    ];
    for (const [before, after] of around) {
      const make = (size: number): string => `${before}${unit.repeat(size / unit.length)}${after}`;
      expect(isLinear(make, extractDigits, 20_000)).toBe(true);
    }
  });
});

describe('the mistaken rewards', () => {
  it.each([
    // Rule, text, total.
    ['keyword', '[ANSWER] 99', 1],
    ['keyword', 'Answer: 12', -1],
    ['other_form', 'Answer: 12', 1],
    ['other_form', '[ANSWER] 12', -1],
    ['other_form', 'Answer: 99', -1],
    ['length', '', -1],
    ['length', 'x'.repeat(24), -0.5],
    ['length', 'x'.repeat(500), 1],
  ] as const)('%s pays %j %d, and its parts are all of that', (rule, text, total) => {
    const reward = scoreDigits('12', text, rule);
    expect(reward.total).toBe(total);
    expect(Object.values(reward.parts).reduce((sum, part) => sum + part, 0)).toBe(total);
  });

  it('say the truth about number and form all the same', () => {
    expect(scoreDigits('12', '[ANSWER] 99', 'keyword')).toMatchObject({ correct: false, format: true });
    expect(scoreDigits('12', 'Answer: 12', 'other_form')).toMatchObject({ correct: true, format: false });
  });
});
