import { expect, test } from 'vitest';
import { looksLikeRows } from './rowsHead.ts';

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
