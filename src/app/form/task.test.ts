import { describe, expect, it } from 'vitest';
import { taskByName } from '../../tasks/index.ts';
import { levelOf, sharedStarter, withoutDefaults } from './task.ts';

const chainSum = taskByName('chain_sum');

describe('the settings of a task in the form', () => {
  it('keep only what differs from the defaults', () => {
    expect(withoutDefaults(chainSum, chainSum.defaults)).toEqual({});
    expect(withoutDefaults(chainSum, { ...chainSum.defaults, max_terms: 3 })).toEqual({ max_terms: 3 });
  });

  it('know the level they are, in whatever order they were set', () => {
    chainSum.levels.forEach((level, i) => {
      const backwards = Object.fromEntries(Object.entries(level).reverse());
      expect(levelOf(chainSum, backwards)).toBe(i);
    });
    expect(levelOf(chainSum, { max_terms: 7 })).toBe(-1);
  });

  it('find the model that several tasks share', () => {
    const digits = [taskByName('sum_digits'), taskByName('reverse_digits')];
    expect(sharedStarter(digits)).toBe('starter');
    expect(sharedStarter([...digits, null])).toBe(null);
    expect(sharedStarter([])).toBe(null);
  });
});
