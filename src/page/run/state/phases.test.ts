import { expect, it } from 'vitest';
import { canStart, isBusy, isUnderWay } from './phases.ts';

it('lets nothing start without a model or while work is under way', () => {
  expect(canStart({ phase: 'idle', modelName: 'starter' })).toBe(true);
  expect(canStart({ phase: 'paused', modelName: 'starter' })).toBe(true);
  expect(canStart({ phase: 'idle', modelName: null })).toBe(false);
  expect(canStart({ phase: 'loading', modelName: 'starter' })).toBe(false);
  expect(canStart({ phase: 'pausing', modelName: 'starter' })).toBe(false);
});

it('counts a held run as under way but not as busy', () => {
  expect([isBusy('paused'), isUnderWay('paused')]).toEqual([false, true]);
  expect([isBusy('evaluating'), isUnderWay('evaluating')]).toEqual([true, true]);
  expect([isBusy('finished'), isUnderWay('finished')]).toEqual([false, false]);
});
