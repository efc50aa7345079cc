import { describe, expect, it } from 'vitest';
import { TASK_NAMES } from '@rl-playground/tasks/parts';
import { everyProof, provenBy } from '@rl-playground/base/testing/proofs';
import { TODAY } from '@rl-playground/base/testing/today';
import { FIELDS, valueFromText } from './describe.ts';
import { parseConfig } from './check.ts';
import { defaultConfig } from './presets/presets.ts';
import { LOSSES, type LossName } from '@rl-playground/engine/parts';
import { PRESET_NAMES, type PresetName } from './schema/model.ts';
import type { RunConfig } from './schema/schema.ts';
import { SETTINGS_VERSION, versionNote } from './settingsVersion.ts';
import { configFromQuery, configToQuery, linkQuery } from './url.ts';

/** A link that names these three, what is read from it, and what is read from the link of that. */
function roundTrip(task: string, preset: PresetName, loss: LossName) {
  const asked = `v=${SETTINGS_VERSION}&task=${task}&preset=${preset}&loss=${loss}&seed=5`;
  const first = configFromQuery(asked);
  return { asked, first, again: configFromQuery(linkQuery(first.config)) };
}

/** The first part of a link of today. */
const NOW = `v=${SETTINGS_VERSION}`;

describe('configToQuery', () => {
  it('is empty for the defaults', () => {
    expect(configToQuery(defaultConfig('sum_digits'))).toBe('');
  });

  it('holds what differs from the defaults of the task and preset, and no more', () => {
    expect(configToQuery(defaultConfig('reverse_digits'))).toBe(`${NOW}&task=reverse_digits`);
    expect(configToQuery(defaultConfig('reverse_digits', 'monarch-digits'))).toBe(
      `${NOW}&task=reverse_digits&preset=monarch-digits`,
    );
    expect(configToQuery({ ...defaultConfig('sum_digits'), seed: 7, adamEps: 1e-9, model: 'a/b c&d' })).toBe(
      `${NOW}&model=a%2Fb+c%26d&adamEps=1e-9&seed=7`,
    );
  });

  it('comes back through configFromQuery, for each task with each loss, and presets in turn', () => {
    const losses = Object.keys(LOSSES) as LossName[];
    for (const [i, task] of TASK_NAMES.entries())
      for (const [j, loss] of losses.entries()) {
        // A third of the pairs, and another one every day.
        if (!everyProof && (i + j + TODAY) % 3 > 0) continue;
        const inTurn = PRESET_NAMES[(i * losses.length + j) % PRESET_NAMES.length] ?? 'default';
        for (const preset of provenBy(PRESET_NAMES, [inTurn])) {
          const { asked, first, again } = roundTrip(task, preset, loss);
          expect({ asked, ...again }).toEqual({ asked, config: first.config, errors: [] });
          const { task: read, preset: chosen, loss: by, seed } = first.config;
          expect([read, chosen, by, seed, first.errors]).toEqual([task, preset, loss, 5, []]);
        }
      }
  });

  it('comes back through configFromQuery, with each setting changed in turn', () => {
    const tasks = ['sum_digits', 'rpn_arithmetic', 'syllogism'];
    for (const task of provenBy(
      tasks,
      tasks.filter((_, i) => i === TODAY % tasks.length),
    )) {
      for (const preset of provenBy(
        PRESET_NAMES,
        PRESET_NAMES.filter((_, i) => i === TODAY % PRESET_NAMES.length),
      )) {
        const base = defaultConfig(task, preset);
        let changed = 0;
        for (const described of FIELDS) {
          const values =
            described.type === 'number'
              ? [described.min, described.max]
              : described.type === 'choice'
                ? described.choices.map(({ value }) => value)
                : described.type === 'boolean'
                  ? [true, false]
                  : ['some/model-1.0', 'ü & = ? # % +'];
          for (const value of values) {
            const parsed = parseConfig({ ...base, [described.key]: value });
            if (!parsed.ok) continue;
            changed++;
            const config: RunConfig = parsed.config;
            expect(configFromQuery(configToQuery(config))).toEqual({ config, errors: [] });
            expect(configFromQuery(`?${configToQuery(config)}`)).toEqual({ config, errors: [] });
          }
        }
        expect(changed).toBeGreaterThan(FIELDS.length);
      }
    }
  });
});

describe('the version of a link', () => {
  const today = { ...defaultConfig('reverse_digits'), seed: 3 };

  it('need not be said by a link that was written by hand', () => {
    expect(configFromQuery('task=reverse_digits&seed=3')).toEqual({ config: today, errors: [] });
    expect(configFromQuery(`task=reverse_digits&seed=3&${NOW}`)).toEqual({ config: today, errors: [] });
  });

  it('makes no difference to the plain address, nor with what are no settings', () => {
    for (const query of ['', '?', '?backend=wasm', `?${NOW}&keep=off`])
      expect(configFromQuery(query)).toEqual({ config: defaultConfig('sum_digits'), errors: [] });
  });

  it('is told of where it is another one, and the link is read with the defaults of today', () => {
    const read = (v: string) => configFromQuery(`v=${v}&task=reverse_digits&seed=3`);
    for (const other of [0, SETTINGS_VERSION - 1, 999])
      expect(read(String(other))).toEqual({
        config: today,
        errors: [],
        note: versionNote('The link', other),
      });
    for (const wrong of ['', '-1', '1.5', 'one', '1e3'])
      expect(read(wrong)).toEqual({
        config: today,
        errors: [
          expect.stringMatching(
            RegExp(`^v: ".*" is no version of links; the link is read as of version ${SETTINGS_VERSION}`),
          ),
        ],
      });
    expect(configFromQuery(`${NOW}&v=0`).errors).toHaveLength(1);
  });
});

describe('configFromQuery', () => {
  it('gives the defaults for an empty query', () => {
    expect(configFromQuery('')).toEqual({ config: defaultConfig('sum_digits'), errors: [] });
  });

  it('leaves the backend to its owner', () => {
    expect(configFromQuery(`?backend=wasm&seed=3&${NOW}`)).toEqual({
      config: { ...defaultConfig('sum_digits'), seed: 3 },
      errors: [],
    });
  });

  it('says which tasks exist when a task is unknown', () => {
    expect(configFromQuery(`?task=chess&seed=3&${NOW}`)).toEqual({
      config: { ...defaultConfig('sum_digits'), seed: 3 },
      errors: [`task: There is no task named "chess". Choose one of: ${TASK_NAMES.join(', ')}.`],
    });
  });

  it('names unknown keys and bad values, and keeps the good ones', () => {
    const { config, errors } = configFromQuery(
      `?task=reverse_digits&steps=5&numGenerators=1000000&numSteps=12&temperature=&topK=0x10&maskTruncated=1&seed=1&seed=2&${NOW}`,
    );
    expect(config).toEqual({ ...defaultConfig('reverse_digits'), numSteps: 12, seed: 1 });
    expect(errors).toHaveLength(6);
    expect(errors[0]).toMatch(
      /^steps: there is no such setting for the value "5"; leave it out, or take one of the \d+ settings/,
    );
    expect(errors.slice(1)).toEqual([
      'seed: given more than once; the first value is used.',
      'numGenerators: 1000000 is too many; choose 1 to 64.',
      'temperature: "" is not a number; choose 0.05 to 5.',
      'topK: "0x10" is not a whole number; choose 0 to 1000000.',
      'maskTruncated: "1" is not a yes or no; choose true or false.',
    ]);
  });

  it('leaves out what contradicts the rest, and keeps everything else', () => {
    expect(configFromQuery(`task=reverse_digits&rolloutsPerProblem=1&seed=5&${NOW}`)).toEqual({
      config: { ...defaultConfig('reverse_digits'), seed: 5 },
      errors: [expect.stringMatching(/^rolloutsPerProblem: 1 leaves nothing to compare/)],
    });
    expect(configFromQuery(`gradientAccumulation=3&miniBatchSize=100&numSteps=3&${NOW}`)).toEqual({
      config: { ...defaultConfig('sum_digits'), numSteps: 3 },
      errors: [
        expect.stringMatching(/^miniBatchSize: 100 does not divide/),
        expect.stringMatching(/^gradientAccumulation: 3 adds up/),
      ],
    });
  });

  it('makes settings go along that the link does not mention', () => {
    expect(configFromQuery(`loss=bnpo&numSteps=7&${NOW}`)).toEqual({
      config: { ...defaultConfig('sum_digits'), loss: 'bnpo', lossReduction: 'auto', numSteps: 7 },
      errors: [],
    });
    // The recommended settings divide by the deviation of a group, and this baseline has none.
    expect(configFromQuery(`loss=reinforce&baseline=moving&${NOW}`)).toEqual({
      config: {
        ...defaultConfig('sum_digits'),
        loss: 'reinforce',
        baseline: 'moving',
        advantageScale: 'none',
      },
      errors: [],
    });
  });

  it('never throws and always gives a valid config', () => {
    const hostile = [
      '?%',
      '?%zz=1',
      '?__proto__=1',
      '?constructor=1&toString=2',
      '?task',
      '?=',
      '?&&&',
      '?task=task&task=',
      '?numSteps=1e999',
      '?numSteps=NaN',
      '?task=%00',
      '?seed=-0',
    ];
    for (const query of hostile) expect(parseConfig(configFromQuery(query).config).ok).toBe(true);
    expect(configFromQuery('?__proto__=1').errors[0]).toMatch(/^__proto__: there is no such setting/);
    expect(configFromQuery('?numSteps=1e999').errors).toEqual([
      'numSteps: Infinity is not a whole number; choose 1 to 100000.',
    ]);
  });
});

describe('valueFromText', () => {
  it('reads numbers, flags and words by the type of the setting', () => {
    expect(valueFromText('learningRate', '3e-4')).toBe(3e-4);
    expect(valueFromText('learningRate', '.5')).toBe(0.5);
    expect(valueFromText('numSteps', '20')).toBe(20);
    expect(valueFromText('numSteps', ' ')).toBe(' ');
    expect(valueFromText('maskTruncated', 'true')).toBe(true);
    expect(valueFromText('maskTruncated', 'toString')).toBe('toString');
    expect(valueFromText('model', '20')).toBe('20');
  });
});
