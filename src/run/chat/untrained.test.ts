import { expect, test } from 'vitest';
import { untrainedSentence } from './untrained.ts';

test('the answers to untrained prompts are summed up in a sentence', () => {
  const answer = (before: string, now: string, kl: number) => ({ prompt: 'Hi', before, now, kl });
  expect(untrainedSentence([answer('a', 'a', 0.01), answer('b', 'c', 0.5), answer('d', 'd', 0.09)])).toBe(
    '2 of 3 answers are the same as before; KL of now against before is 0.200 nats a token on them.',
  );
  expect(untrainedSentence([answer('a', 'a', 0), answer('b', 'b', 0)])).toBe(
    'All 2 answers are the same as before; KL of now against before is 0.000 nats a token on them.',
  );
});
