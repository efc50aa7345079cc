import { describe, expect, it } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { withTask, withValue } from './formChanges.ts';
import { changedKeys, formErrors } from './settings.ts';

describe('another task', () => {
  it('takes the new task’s defaults but keeps what was changed', () => {
    const form = withTask({ ...defaultConfig('sum_digits'), seed: 3 }, 'reverse_digits');
    expect(form).toEqual({ ...defaultConfig('reverse_digits'), seed: 3 });
    expect(changedKeys(form)).toEqual(['seed']);
  });

  it('leaves a preset behind that is made for another task', () => {
    const form = withTask(defaultConfig('rpn_arithmetic', 'rlvr-small'), 'sum_digits');
    expect(form).toEqual(defaultConfig('sum_digits'));
    expect(withTask(defaultConfig('sum_digits', 'monarch-digits'), 'reverse_digits').preset).toBe(
      'monarch-digits',
    );
    // The task that its system asks, of which the preset's own is a stand-in.
    const tinker = defaultConfig('tinker_arithmetic', 'tinker-rl-basic');
    expect(withTask(tinker, 'gsm8k')).toEqual(defaultConfig('gsm8k', 'tinker-rl-basic'));
  });
});

describe('another baseline', () => {
  it('leaves out what only goes with the answers of a group', () => {
    const digits = defaultConfig('sum_digits');
    for (const baseline of ['moving', 'none', 'value'] as const) {
      const form = withValue(withValue(digits, 'loss', 'ppo'), 'baseline', baseline);
      expect([...formErrors(form)]).toEqual([]);
      expect(form).toMatchObject({ advantageScale: 'none', removeConstantGroups: baseline !== 'value' });
    }
    expect(withValue(digits, 'baseline', 'leave_one_out').advantageScale).toBe('group');
  });
});

describe('another loss', () => {
  const digits = defaultConfig('sum_digits');

  it('makes GRPO’s family possible: groups of two or more, and a batch of their own', () => {
    const monarch = defaultConfig('sum_digits', 'monarch-digits');
    for (const loss of ['grpo', 'bnpo', 'dr_grpo', 'dapo'] as const) {
      expect(formErrors({ ...monarch, loss }).size).toBeGreaterThan(0);
      const form = withValue(monarch, 'loss', loss);
      expect([...formErrors(form)]).toEqual([]);
      expect(form.rolloutsPerProblem).toBe(2);
      expect(form.baseline).toBe('group');
      expect(form.oneProblemPerGenerator).toBe(false);
    }
  });

  it('keeps a reduction that goes along, and lets the loss decide where it does not', () => {
    const meant = { ...digits, lossReduction: 'sequence_mean' } as const;
    expect(withValue(meant, 'loss', 'ppo').lossReduction).toBe('sequence_mean');
    expect(withValue(meant, 'loss', 'dr_grpo').lossReduction).toBe('auto');
    expect(withValue({ ...digits, lossReduction: 'token_mean' }, 'loss', 'dapo').lossReduction).toBe(
      'token_mean',
    );
  });

  it('takes back what only the loss before could use', () => {
    const before = { ...digits, ratioLevel: 'sequence', clipDelta: 4 } as const;
    const form = withValue(before, 'loss', 'reinforce');
    expect(form.ratioLevel).toBe('token');
    expect(form.clipDelta).toBe(0);
    expect(withValue(before, 'loss', 'ppo')).toEqual({ ...before, loss: 'ppo' });
  });

  it('gives CISPO a cap above 1 and takes it back', () => {
    const cispo = withValue(digits, 'loss', 'cispo');
    expect(cispo.clipHigh).toBe(5);
    expect(withValue(cispo, 'loss', 'grpo')).toEqual(digits);
    const bounds = { ...digits, clipMeaning: 'ratio_bounds', clipLow: 0.8, clipHigh: 1.2 } as const;
    expect(withValue(bounds, 'loss', 'cispo').clipHigh).toBe(1.2);
  });

  it('leaves everything else alone', () => {
    const leaveOneOut = { ...digits, baseline: 'leave_one_out', rolloutsPerProblem: 4 } as const;
    expect(withValue(leaveOneOut, 'loss', 'dapo')).toEqual({ ...leaveOneOut, loss: 'dapo' });
  });
});
