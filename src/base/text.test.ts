import { expect, it } from 'vitest';
import { grouped, plural } from './text.ts';

it('counts', () => {
  expect(grouped(1_234_567)).toBe('1,234,567');
  expect(plural(1, 'step')).toBe('1 step');
  expect(plural(1200, 'step')).toBe('1,200 steps');
});
