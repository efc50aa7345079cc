import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MIXTURE } from '@rl-playground/tasks/parts';
import { parseConfig } from './check.ts';
import { defaultConfig } from './presets.ts';
import type { PresetName } from './settings/model.ts';
import {
  defaultsOf,
  modelSince,
  parseRecord,
  SETTINGS_VERSION,
  type PastSettings,
} from './settingsVersion.ts';

type Values = Readonly<Record<string, unknown>>;

/** What every task and preset gave in commit 98cdedd: of fields, where tasks differed from them, and where presets did from their task's. */
const VERSION_0 = JSON.parse(
  readFileSync(new URL('../testing/settingsOfVersion0.json', import.meta.url), 'utf8'),
) as {
  readonly fields: Values;
  readonly tasks: Readonly<Record<string, Values>>;
  readonly presets: Readonly<
    Record<string, readonly { readonly values: Values; readonly tasks: string[] }[]>
  >;
};

/** Two versions ago the starter was another model; in the last one, it had half of the steps. */
const PAST: readonly PastSettings[] = [
  { version: 0, defaults: () => ({ numSteps: 7, seed: 3 }), models: { starter: 'starter-v1' } },
  {
    version: 1,
    defaults: (task) => (task === 'sum_digits' ? { numSteps: 75 } : {}),
    models: { 'starter-v1': 'first-starter', 'starter-words': 'words-v2' },
  },
];

describe('version 0', () => {
  const presets = ['default', ...Object.keys(VERSION_0.presets)] as PresetName[];
  test.each(presets)('gives what commit 98cdedd did, %s', (preset) => {
    const refused: string[] = [];
    for (const task of Object.keys(VERSION_0.tasks)) {
      const changes = VERSION_0.presets[preset]?.find(({ tasks }) => tasks.includes(task))?.values;
      const expected: Values = { ...VERSION_0.fields, ...VERSION_0.tasks[task], ...changes };
      const found = defaultsOf(0, task, preset);
      const then = Object.entries(found).filter(([key]) => Object.hasOwn(expected, key));
      const model = modelSince(0, String(expected['model']));
      expect({ ...Object.fromEntries(then), task }).toEqual({ ...expected, model, task });
      if (!parseConfig(found).ok) refused.push(task);
    }
    // A mixture has no parts by default.
    expect(refused).toEqual([MIXTURE]);
  });

  test('did what there were no settings for: one answer in evaluations, the distance of all answers', () => {
    expect(defaultsOf(0, 'sum_digits', 'default')).toMatchObject({ passAtK: 1, klMeasuredShare: 1 });
  });
});

describe('versions', () => {
  test('the newest has the defaults there are', () => {
    for (const task of ['sum_digits', 'chain_sum'])
      expect(defaultsOf(SETTINGS_VERSION, task, 'default')).toEqual(defaultConfig(task));
    expect(modelSince(SETTINGS_VERSION, 'starter')).toBe('starter');
  });

  test('up to the third, one task alone went beyond its demonstrations', () => {
    const preset = 'beyond-demonstrations';
    expect(defaultsOf(3, 'chain_sum', preset)).toEqual({ ...defaultsOf(4, 'chain_sum', 'default'), preset });
    expect(defaultsOf(4, 'chain_sum', preset).model).toBe('starter-short-terms');
    expect(defaultsOf(3, 'sum_digits_titan', preset)).toEqual(defaultConfig('sum_digits_titan', preset));
  });

  test('each has what changed since, the oldest change last', () => {
    const of = (version: number, task: string) => {
      const { numSteps, seed, model } = defaultsOf(version, task, 'default', PAST);
      return { numSteps, seed, model };
    };
    const { numSteps, seed, model } = defaultConfig('sum_digits');
    expect(of(2, 'sum_digits')).toEqual({ numSteps, seed, model });
    expect(of(1, 'sum_digits')).toEqual({ numSteps: 75, seed, model });
    expect(of(0, 'sum_digits')).toEqual({ numSteps: 7, seed: 3, model: 'first-starter' });
    expect(of(1, 'reverse_digits').numSteps).toBe(defaultConfig('reverse_digits').numSteps);
  });

  test('a model goes by all names that it was given since', () => {
    const names = (version: number) =>
      ['starter', 'starter-v1', 'starter-words', 'org/name', 'toString'].map((name) =>
        modelSince(version, name, PAST),
      );
    expect(names(0)).toEqual(['first-starter', 'first-starter', 'words-v2', 'org/name', 'toString']);
    expect(names(1)).toEqual(['starter', 'first-starter', 'words-v2', 'org/name', 'toString']);
    expect(names(2)).toEqual(['starter', 'starter-v1', 'starter-words', 'org/name', 'toString']);
  });

  test('a record of a run has what it says, and of settings that came later what was done before', () => {
    const { passAtK, klMeasuredShare, samplerNoise, ...before } = defaultConfig('sum_digits');
    const record = { ...before, learningRate: 0.01 };
    expect([passAtK, klMeasuredShare, samplerNoise]).not.toContain(undefined);
    expect(parseRecord(record, 0, PAST)).toEqual({
      ok: true,
      config: { ...record, samplerNoise: 0, passAtK, klMeasuredShare, model: 'first-starter' },
    });
    expect(parseRecord(record, 0)).toMatchObject({ config: { passAtK: 1, klMeasuredShare: 1 } });
    expect(parseRecord({ ...before, passAtK: 4 }, 0)).toMatchObject({ config: { passAtK: 4 } });
    expect(parseRecord(record, SETTINGS_VERSION)).toEqual({
      ok: true,
      config: { ...record, samplerNoise, passAtK, klMeasuredShare },
    });
  });

  test('up to version 1 the digit tasks began with the starter that knew them, and with fewer steps', () => {
    expect(defaultsOf(1, 'reverse_digits', 'default')).toMatchObject({
      model: 'starter-v1',
      numSteps: 80,
      learningRate: 3e-4,
      taskConfig: {},
      passAtK: 8,
    });
    expect(defaultsOf(1, 'sum_digits', 'default')).toMatchObject({ curriculum: 'off', curriculumReview: 0 });
    expect(defaultsOf(1, 'sum_digits', 'monarch-digits')).toEqual({
      ...defaultConfig('sum_digits', 'monarch-digits'),
      model: 'starter-v1',
      taskConfig: {},
    });
  });

  test('up to version 2 presets asked and paid as their originals’ documents do not say', () => {
    expect(defaultsOf(2, 'reverse_digits', 'monarch-digits').taskConfig).toEqual({});
    const gym = (task: string) => defaultsOf(2, task, 'rl-for-real-grpo').taskConfig;
    expect(gym('syllogism')).toEqual({
      ...defaultConfig('syllogism', 'rl-for-real-grpo').taskConfig,
      developer_prompt: undefined,
    });
    expect(gym('chain_sum')).toEqual(defaultConfig('chain_sum').taskConfig);
  });

  test('a record that is none is refused', () => {
    for (const record of [
      null,
      'fast',
      [],
      {},
      { task: 'sum_digits' },
      { ...defaultConfig('sum_digits'), task: 7 },
    ])
      expect(parseRecord(record, 0)).toMatchObject({ ok: false });
    expect(parseRecord({ ...defaultConfig('sum_digits'), speed: 3 }, 0)).toMatchObject({
      errors: [expect.stringMatching(/^speed: there is no such setting/)],
    });
  });
});
