import { expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { touchesLocked, withLocked } from './locks.ts';

const form = defaultConfig('reverse_digits');

it('keeps what is locked and changes the rest', () => {
  const after = { ...form, learningRate: 1, numSteps: 7 };
  expect(withLocked(form, after, new Set(['learningRate']))).toEqual({ ...form, numSteps: 7 });
  expect(withLocked(form, after, new Set())).toBe(after);
});

it('tells a change that the link does not allow', () => {
  expect(touchesLocked(['numSteps', 'seed'], new Set(['seed']))).toBe(true);
  expect(touchesLocked(['numSteps'], new Set(['seed']))).toBe(false);
  expect(touchesLocked(['numSteps'], new Set())).toBe(false);
});
