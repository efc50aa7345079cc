import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TASK_NAMES } from '@rl-playground/tasks/parts';
import { FIELDS } from './describe.ts';
import { GROUPS, fieldOf } from './schema/fields.ts';
import { PRESETS, TASK_DEFAULTS, defaultConfig } from './presets/presets.ts';
import { PRESET_NAMES, type PresetName } from './schema/model.ts';
import { FIELD_KEYS, RUN_FIELDS, problemsInStep } from './schema/schema.ts';
import { runConfigSchema, parseConfig } from './check.ts';

const config = defaultConfig('reverse_digits');

function errorsOf(change: Readonly<Record<string, unknown>>): readonly string[] {
  const result = parseConfig({ ...config, ...change });
  return result.ok ? [] : result.errors;
}

describe('fields', () => {
  it('do not compile without a label, a help text, a default or words for each choice', () => {
    const field = fieldOf('Run');
    const words = { label: 'x', help: 'x' } as const;
    // @ts-expect-error: no default
    field(z.number(), words);
    // @ts-expect-error: no label
    field(z.number(), { help: 'x', default: 1 });
    // @ts-expect-error: no help
    field(z.number(), { label: 'x', default: 1 });
    // @ts-expect-error: a default of another type
    field(z.number(), { ...words, default: 'one' });
    // @ts-expect-error: no words for the choice "b"
    field(z.enum(['a', 'b']), { ...words, default: 'a', choices: { a: 'A' } });
    expect(field(z.number(), { ...words, default: 1 }).info.default).toBe(1);
  });

  it('describe every setting for a form', () => {
    expect(FIELDS.map(({ key }) => key)).toEqual(FIELD_KEYS);
    expect(new Set(FIELDS.map(({ label }) => label)).size).toBe(FIELDS.length);
    for (const described of FIELDS) {
      expect(GROUPS).toContain(described.group);
      expect(described.help).toMatch(/^\S.*[.!]$/s);
      expect(RUN_FIELDS[described.key].schema.safeParse(described.default).success).toBe(true);
    }
    expect(FIELDS.find(({ key }) => key === 'task')).toEqual({
      key: 'task',
      label: 'Task',
      help: 'What the model is asked, and how its answer is scored.',
      group: 'Task',
      type: 'text',
      default: 'sum_digits',
      maxLength: 120,
    });
    expect(FIELDS.find(({ key }) => key === 'numGenerators')).toMatchObject({
      type: 'number',
      min: 1,
      max: 64,
      step: 1,
    });
    expect(FIELDS.find(({ key }) => key === 'learningRate')).toMatchObject({ type: 'number', step: null });
    expect(FIELDS.find(({ key }) => key === 'model')).toMatchObject({
      type: 'text',
      default: 'starter',
      maxLength: 200,
    });
  });

  it.each(FIELDS.filter((each) => each.type === 'number'))(
    'state the bounds of $key that hold',
    ({ key, min, max, step }) => {
      const accepts = (value: number) => RUN_FIELDS[key].schema.safeParse(value).success;
      expect([min, max].map(accepts)).toEqual([true, true]);
      expect([min - 1, max + 1].map(accepts)).toEqual([false, false]);
      expect(accepts(min + (max - min) / 2 ** 20)).toBe(step === null);
    },
  );

  it.each(FIELDS.filter((each) => each.type === 'choice'))(
    'state the choices of $key that hold',
    ({ key, choices }) => {
      const accepted = choices.filter(({ value }) => RUN_FIELDS[key].schema.safeParse(value).success);
      expect(accepted).toEqual(choices);
      expect(choices.filter(({ label }) => label === '')).toEqual([]);
    },
  );
});

describe('parseConfig', () => {
  it('accepts every preset of every task, unchanged by a trip through JSON', () => {
    for (const task of TASK_NAMES) {
      for (const preset of PRESET_NAMES) {
        const whole = defaultConfig(task, preset);
        expect(parseConfig(JSON.parse(JSON.stringify(whole)))).toEqual({ ok: true, config: whole });
      }
    }
  });

  it.each([
    [{ numGenerators: 1_000_000 }, 'numGenerators: 1000000 is too many; choose 1 to 64.'],
    [{ numGenerators: 0 }, 'numGenerators: 0 is too few; choose 1 to 64.'],
    [{ numGenerators: 1e300 }, 'numGenerators: 1e+300 is too many; choose 1 to 64.'],
    [{ numGenerators: 1.5 }, 'numGenerators: 1.5 is not a whole number; choose 1 to 64.'],
    [{ numGenerators: '2' }, 'numGenerators: "2" is not a whole number; choose 1 to 64.'],
    [{ numSteps: Number.NaN }, 'numSteps: NaN is not a whole number; choose 1 to 100000.'],
    [{ numSteps: undefined }, 'numSteps: is missing; it needs a whole number from 1 to 100000.'],
    [{ learningRate: 3 }, 'learningRate: 3 is too large; choose 0 to 1.'],
    [{ learningRate: Infinity }, 'learningRate: Infinity is not a number; choose 0 to 1.'],
    [{ temperature: 0 }, 'temperature: 0 is too small; choose 0.05 to 5.'],
    [{ task: 'chess' }, `task: There is no task named "chess". Choose one of: ${TASK_NAMES.join(', ')}.`],
    [{ task: 'mixture' }, 'task: "mixture" needs at least one task in the setting mixture; found none.'],
    [
      { task: 'mixture', mixture: [{ task: 'chain_sum', weight: 0, config: {} }] },
      'mixture.0.weight: 0 is no weight; choose a number above 0.',
    ],
    [
      {
        task: 'mixture',
        mixture: [
          { task: 'chain_sum', weight: 1, config: {} },
          { task: 'chain_sum', weight: 2, config: {} },
        ],
      },
      'mixture: chain_sum is in it twice; give it one part with the sum of the weights.',
    ],
    [
      { task: 'mixture', mixture: [{ task: 'chain_sum', weight: 1, config: { max_terms: 99 } }] },
      'mixture.0.config: max_terms: 99 is too large; choose 2 to 20.',
    ],
    [
      { taskConfig: { max_terms: 3 } },
      'taskConfig: max_terms: reverse_digits has no such setting; its settings are: reward_rule, step_weight, min_digits, max_digits.',
    ],
    [
      { task: 'chain_sum', taskConfig: { min_terms: 7 } },
      'taskConfig: min_terms: 7 is more than max_terms, 6; choose at most 6.',
    ],
    [
      { task: 'chain_sum', taskConfig: { allow_negation: 'no' } },
      'taskConfig: allow_negation: "no" is not a yes or no; choose true or false.',
    ],
    [
      { curriculum: 'success', curriculumLower: 0.8 },
      'curriculumLower: 0.8 is not below curriculumRaise, 0.7; choose less.',
    ],
    [{ maskTruncated: 'yes' }, 'maskTruncated: "yes" is not a yes or no; choose true or false.'],
    [{ model: '' }, 'model: found 0 characters; it needs 1 to 200 characters.'],
    [{ model: 7 }, 'model: found 7; it needs 1 to 200 characters.'],
    [
      { rolloutsPerProblem: 1 },
      'rolloutsPerProblem: 1 leaves nothing to compare within a group, as baseline "group" does; choose at least 2, or another baseline with loss "reinforce".',
    ],
    [
      { baseline: 'moving' },
      'baseline: "moving" does not go with loss "grpo", which compares answers within a group; choose "group" or "leave_one_out", or set loss to "reinforce".',
    ],
    [
      { problemsPerStep: 1024, rolloutsPerProblem: 256 },
      'problemsPerStep: 1024 problems of 256 answers make 262144 answers per step; choose at most 16384 in all.',
    ],
  ])('refuses %j', (change, message) => {
    expect(errorsOf(change)).toEqual([message]);
  });

  it('names an unknown key within a setting by its path', () => {
    const mixture = [{ task: 'chain_sum', weight: 1, config: {}, share: 0.5 }];
    expect(errorsOf({ task: 'mixture', mixture })).toEqual([
      'mixture.0.share: 0.5 has no meaning there; leave that name out.',
    ]);
  });

  it('names every unknown key, and every bad value at once', () => {
    const errors = errorsOf({ numGenerator: 2, toString: 1, maxTokens: 0, topP: 2 });
    expect(errors).toContain(
      'numGenerator: there is no such setting for the value 2; did you mean numGenerators?',
    );
    expect(
      errors.some((error) =>
        error.startsWith('toString: there is no such setting for the value 1; leave it out, or '),
      ),
    ).toBe(true);
    expect(errors).toContain('maxTokens: 0 is too few; choose 1 to 4096.');
    expect(errors).toContain('topP: 2 is too large; choose 0.01 to 1.');
    expect(errors).toHaveLength(4);
  });

  it.each([null, undefined, 3, 'text', []])('refuses %j as a whole', (value) => {
    expect(parseConfig(value)).toEqual({
      ok: false,
      errors: ['The settings must be one object with a value for each setting.'],
    });
  });

  it('keeps messages short whatever was found', () => {
    expect(errorsOf({ task: 'x'.repeat(1_000_000) })[0]?.length).toBeLessThan(200);
  });

  it('lets REINFORCE use group, moving and no baseline', () => {
    for (const baseline of ['group', 'leave_one_out', 'moving', 'none'])
      expect(errorsOf({ loss: 'reinforce', baseline })).toEqual([]);
  });

  it('gives issues with path and value to those who ask zod', () => {
    const result = runConfigSchema.safeParse({ ...config, rolloutsPerProblem: 1 });
    expect(result.error?.issues).toMatchObject([{ path: ['rolloutsPerProblem'], code: 'custom' }]);
  });
});

describe('presets', () => {
  it('take the number of steps from the task', () => {
    expect(defaultConfig('reverse_digits').numSteps).toBe(150);
    expect(defaultConfig('sum_digits').numSteps).toBe(560);
    for (const task of TASK_NAMES)
      expect(defaultConfig(task)).toMatchObject({ ...TASK_DEFAULTS[task], task, preset: 'default' });
  });

  it('reproduce the Monarch digit experiment', () => {
    const monarch = defaultConfig('sum_digits', 'monarch-digits');
    expect(monarch).toMatchObject({
      loss: 'reinforce',
      baseline: 'moving',
      movingBaselineStart: 0.5,
      movingBaselineDecay: 0.9,
      lossReduction: 'sequence_mean',
      learningRate: 5e-6,
      lrSchedule: 'constant',
      warmupSteps: 0,
      adamBeta1: 0.9,
      adamBeta2: 0.999,
      adamEps: 1e-8,
      weightDecay: 0.01,
      clipNorm: 1,
      klBeta: 0,
      maxTokens: 256,
      evalTemperature: 0,
      evalSamples: 20,
      numSteps: 20,
      numGenerators: 2,
      rolloutsPerProblem: 1,
    });
    expect(problemsInStep({ ...monarch, numGenerators: 7 })).toBe(7);
    expect(PRESETS['monarch-digits'].differences.length).toBeGreaterThan(0);
  });

  it('describe the three settings of RLVR on RPN arithmetic', () => {
    const rpn = (preset: PresetName) => defaultConfig('rpn_arithmetic', preset);
    const shared = { model: 'rlvr-scratch', scoring: 'upstream', loss: 'ppo', baseline: 'value' };
    expect(rpn('rlvr-small')).toMatchObject({
      ...shared,
      taskConfig: { max_complexity: 3, reward_type: 'combined', boxed_weight: 0.3, correct_weight: 0.7 },
      numSteps: 100,
      problemsPerStep: 8,
      learningRate: 1e-5,
      temperature: 0.7,
      topP: 0.9,
    });
    expect(rpn('rlvr-large')).toMatchObject({
      ...shared,
      taskConfig: { max_complexity: 5, reward_type: 'combined', boxed_weight: 0.2, correct_weight: 0.8 },
      numSteps: 2500,
      problemsPerStep: 16,
      learningRate: 3e-6,
      temperature: 0.8,
      topP: 0.95,
    });
    expect(rpn('rlvr-test')).toMatchObject({
      ...shared,
      taskConfig: { max_complexity: 2, reward_type: 'boxed', boxed_weight: 1, correct_weight: 0 },
      numSteps: 15,
      problemsPerStep: 4,
      learningRate: 1e-4,
      temperature: 1,
      topP: 0.9,
    });
    // Longest prompts of 1 + 2k + 1 tokens.
    expect(rpn('rlvr-small').maxTokens + 8).toBe(50);
    expect(rpn('rlvr-large').maxTokens + 12).toBe(80);
    expect(rpn('rlvr-test').maxTokens + 6).toBe(30);
    expect(defaultConfig('sum_digits', 'rlvr-small')).toMatchObject({
      model: 'starter',
      taskConfig: {},
      warmStartSteps: 0,
      loss: 'ppo',
    });
  });

  it('otherwise ask as many problems as the setting says', () => {
    expect(problemsInStep({ ...config, numGenerators: 7 })).toBe(16);
  });
});
