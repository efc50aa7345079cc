import { expect, test } from 'vitest';
import { growth, isLinear } from './processorTime.ts';

const make = (length: number): string => 'a'.repeat(length);

/** Looks at every character, `rounds` times. */
function look(text: string, rounds: number): number {
  let sum = 0;
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  return sum;
}

test('what is linear is told from what is quadratic', () => {
  expect(isLinear(make, (text) => look(text, 300), 5000)).toBe(true);
  expect(growth(make, (text) => look(text, text.length), 800)).toBeGreaterThan(8);
  expect(isLinear(make, (text) => text.length, 1e6)).toBe(true);
});
