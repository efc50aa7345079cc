import { describe, expect, test } from 'vitest';
import { defaultConfig } from './presets/presets.ts';
import { parseRecord, SETTINGS_VERSION, versionNote } from './settingsVersion.ts';

test('settings of another version are told of, those of today are not', () => {
  expect(versionNote('The run', SETTINGS_VERSION)).toBeNull();
  for (const version of [0, SETTINGS_VERSION - 1, SETTINGS_VERSION + 1])
    expect(versionNote('The run', version)).toMatch(
      RegExp(`^The run is of version ${version} of the settings, .* version ${SETTINGS_VERSION}: .*\\.$`),
    );
});

describe('a record of a run', () => {
  test('has what it says, and the defaults of its task and preset for what it lacks', () => {
    const preset = 'sampler-mismatch';
    const { passAtK, samplerNoise, model, ...before } = defaultConfig('sum_digits', preset);
    expect([passAtK, samplerNoise, model]).not.toContain(undefined);
    expect(samplerNoise).not.toBe(defaultConfig('sum_digits').samplerNoise);
    const record = { ...before, learningRate: 0.01 };
    expect(parseRecord(record)).toEqual({ ok: true, config: { ...record, passAtK, samplerNoise, model } });
    expect(parseRecord({ ...record, passAtK: 4 })).toMatchObject({ config: { passAtK: 4, samplerNoise } });
  });

  test('that is none is refused', () => {
    const whole = defaultConfig('sum_digits');
    for (const record of [null, 'fast', [], {}, { task: 'sum_digits' }, { ...whole, task: 7 }])
      expect(parseRecord(record)).toMatchObject({ ok: false });
    expect(parseRecord({ ...whole, speed: 3 })).toMatchObject({
      errors: [expect.stringMatching(/^speed: there is no such setting/)],
    });
  });
});
