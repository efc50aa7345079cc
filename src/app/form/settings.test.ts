import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../config/presets.ts';
import { fieldOf, formErrors, isLocked, lockOf, stepped } from './settings.ts';

describe('the form', () => {
  it('says by setting what is wrong', () => {
    const errors = formErrors({ ...defaultConfig('sum_digits'), numGenerators: 0 });
    expect([...errors.keys()]).toEqual(['numGenerators']);
    expect(errors.get('numGenerators')).toContain('choose 1 to 64');
  });
});

describe('locks', () => {
  it('frees a few settings while a run is held, and all without a run', () => {
    expect(lockOf({ phase: 'training', step: 3 })).toBe('all');
    expect(lockOf({ phase: 'paused', step: 3 })).toBe('held');
    expect(lockOf({ phase: 'idle', step: 3 })).toBe('held');
    expect(lockOf({ phase: 'idle', step: 0 })).toBe('none');
    expect(lockOf({ phase: 'finished', step: 80 })).toBe('none');
    expect(isLocked('held', 'numSteps')).toBe(false);
    expect(isLocked('held', 'task')).toBe(true);
    expect(isLocked('all', 'numSteps')).toBe(true);
  });
});

describe('stepped', () => {
  it('moves the second significant digit and stays in bounds', () => {
    const steps = fieldOf('numSteps');
    const rate = fieldOf('learningRate');
    if (steps.type !== 'number' || rate.type !== 'number') throw new Error('both are numbers');
    expect(stepped(150, 1, steps)).toBe(160);
    expect(stepped(8, 1, steps)).toBe(9);
    expect(stepped(1, -1, steps)).toBe(1);
    expect(stepped(3e-4, 1, rate)).toBe(3.1e-4);
    expect(stepped(1e-4, -1, rate)).toBe(9e-5);
    expect(stepped(0, 1, rate)).toBe(0.01);
    expect(stepped(1, 1, rate)).toBe(1);
  });
});
