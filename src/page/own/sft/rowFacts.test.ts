import { expect, test } from 'vitest';
import { lengthsOf, looksLikeRows, sampleOf } from './rowFacts.ts';

const row = (completion: string) => ({
  prompt: [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: '2 + 2?' },
  ],
  completion,
});

test('the lengths of the answers are counted in characters', () => {
  expect(lengthsOf([row('12'), row('1234567'), row('123456')])).toBe(
    '3 rows, answers of 5 characters on average, the longest of 7.',
  );
  expect(lengthsOf([row('12')])).toContain('1 row,');
});

test('the sample is the last question of the first row, cut where it is long', () => {
  expect(sampleOf([row('4'), row('5')])).toEqual({ asked: '2 + 2?', answer: '4' });
  expect(sampleOf([row('x'.repeat(1000))])?.answer).toBe(`${'x'.repeat(300)}…`);
  expect(sampleOf([])).toBeNull();
});

test.each([
  ['{"prompt": "a", "completion": "b"}', true],
  ['\uFEFF\n {"completion":"b","prompt":[{"role":"user"}]}\n{}', true],
  ['{"id": 3, "messages" : [{"role": "user", "content": "a"', true],
  ['{"question": "a", "answer": "b"}', false],
  ['{"prompt": "a", "answer": "b"}\n{"completion": "b"}', false],
  ['{"messages": "a"}', false],
  ['prompt,completion\n1,2', false],
  ['', false],
])('%s', (head, expected) => {
  expect(looksLikeRows(head)).toBe(expected);
});
