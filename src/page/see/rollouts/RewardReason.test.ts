import { expect, it } from 'vitest';
import { rewardTerms } from './RewardReason.tsx';

it.each<[parts: Record<string, number>, total: number, text: string]>([
  [{ correct: 1, format: -2 }, -1, '+1 −2 = −1'],
  [{ correct: -1, format: 0 }, -1, '−1'],
  [{ accuracy: 1, format: 0.2, steps: 0.25 }, 1.45, '+1 +0.20 +0.25 = +1.45'],
  [{ accuracy: 0, format: 0 }, 0, '0'],
  [{}, 0, '0'],
])('%j reads %s', (parts, total, text) => {
  const { terms, sum } = rewardTerms({ parts, total });
  expect([...terms.map((term) => term.text), ...(terms.length > 0 ? ['='] : []), sum].join(' ')).toBe(text);
});

it('names parts without underscores', () => {
  expect(
    rewardTerms({ parts: { right_steps: 1, length: -1 }, total: 0 }).terms.map(({ name }) => name),
  ).toEqual(['right steps', 'length']);
});
