import { describe, expect, it } from 'vitest';
import {
  hasMeaning,
  defaultConfig,
  FIELD_KEYS,
  type FieldKey,
  type RunConfig,
} from '@rl-playground/run/settings';
import { fieldOf, formErrors, bounded, isLocked, lockOf, stepped } from './settings.ts';
import { isShown } from './shown.ts';

const FORM = defaultConfig('sum_digits');

const missing = (form: RunConfig): FieldKey[] => FIELD_KEYS.filter((key) => !hasMeaning(form, key));
const shown = (changes: Partial<RunConfig>, key: FieldKey): boolean => {
  const form = { ...FORM, ...changes };
  return isShown(form, key, formErrors(form));
};

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

describe('settings that decide something', () => {
  it('follows the loss', () => {
    const clipping = ['clipMeaning', 'clipLow', 'clipHigh', 'clipDelta', 'ratioLevel'];
    expect(missing({ ...FORM, loss: 'reinforce' })).toEqual(expect.arrayContaining([...clipping, 'droBeta']));
    for (const loss of ['grpo', 'ppo', 'bnpo', 'dr_grpo', 'dapo'] as const)
      expect(missing({ ...FORM, loss }).filter((key) => clipping.includes(key))).toEqual([]);
    expect(hasMeaning({ ...FORM, loss: 'importance_sampling' }, 'ratioLevel')).toBe(true);
    expect(hasMeaning({ ...FORM, loss: 'importance_sampling' }, 'clipHigh')).toBe(false);
    expect(hasMeaning({ ...FORM, loss: 'dro' }, 'droBeta')).toBe(true);
    expect(hasMeaning({ ...FORM, loss: 'cispo' }, 'clipLow')).toBe(false);
    expect(hasMeaning({ ...FORM, loss: 'cispo', clipMeaning: 'ratio_bounds' }, 'clipLow')).toBe(true);
  });

  it('follows schedule, batch, reference, baseline and LoRA', () => {
    expect(shown({ schedule: 'stream' }, 'numMinibatches')).toBe(true);
    expect(shown({ schedule: 'stream' }, 'ppoEpochs')).toBe(false);
    expect(shown({ schedule: 'async' }, 'maxStepsOffPolicy')).toBe(true);
    expect(shown({ schedule: 'async' }, 'numMinibatches')).toBe(false);
    expect(shown({ numSubsteps: 4 }, 'targetKl')).toBe(true);
    expect(shown({}, 'targetKl')).toBe(false);
    expect(shown({ numSubsteps: 4, schedule: 'stream' }, 'targetKl')).toBe(false);
    expect(shown({ klReference: 'past' }, 'klReferenceEvery')).toBe(true);
    expect(shown({ baseline: 'moving', loss: 'reinforce' }, 'movingBaselineDecay')).toBe(true);
    for (const key of ['gaeGamma', 'gaeLambda', 'valueCoef', 'valueRate'] as const) {
      expect(shown({ baseline: 'value', loss: 'ppo' }, key)).toBe(true);
      expect(shown({}, key)).toBe(false);
    }
    expect(shown({ baseline: 'value', loss: 'ppo' }, 'valueClip')).toBe(false);
    expect(shown({ baseline: 'value', loss: 'ppo', ppoEpochs: 2 }, 'valueClip')).toBe(true);
    expect(shown({ ppoEpochs: 2 }, 'valueClip')).toBe(false);
    expect(shown({ klPenaltyCoef: 0.1 }, 'klDiscountFactor')).toBe(true);
    expect(shown({ klPenaltyCoef: 0.1, baseline: 'value', loss: 'ppo' }, 'klDiscountFactor')).toBe(false);
    expect(shown({ loraRank: 8 }, 'loraTargets')).toBe(true);
    expect(shown({}, 'loraAlpha')).toBe(false);
  });
});

describe('settings that are shown all the same', () => {
  it('are those that differ from their default', () => {
    expect(shown({ droBeta: 0.5 }, 'droBeta')).toBe(true);
  });

  it('are those that have to be put right', () => {
    // Streaming learns from each group once.
    const form = { ...FORM, schedule: 'stream', ppoEpochs: 2 } as const;
    expect(formErrors(form).has('ppoEpochs')).toBe(true);
    expect(isShown(form, 'ppoEpochs', formErrors(form))).toBe(true);
  });
});

it('goes by factors without what rounding adds, inside the bounds', () => {
  const field = fieldOf('learningRate');
  if (field.type !== 'number') throw new Error('A learning rate is no number.');
  expect(bounded(2 * 0.0003, field)).toBe(0.0006);
  expect(bounded(0.0003 / 2, field)).toBe(0.00015);
  expect(bounded(2 * 0.7, field)).toBe(field.max);
});
