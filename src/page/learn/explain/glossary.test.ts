import { expect, it } from 'vitest';
import { FIRST_WORDS, meaningOf } from './glossary.ts';

it('reads the glossary without its links and marks', () => {
  expect(meaningOf('Group')).toBe('The answers to one problem; GRPO compares them with each other.');
  expect(meaningOf('pass@k')).not.toMatch(/[[`]/);
  expect(meaningOf('Alchemy')).toBeNull();
  expect(FIRST_WORDS.filter((word) => meaningOf(word) === null)).toEqual([]);
});
