import { expect, it } from 'vitest';
import { defaultConfig } from '../../config/presets.ts';
import { changedConfig, forkableFields } from './forkable.ts';

const config = defaultConfig('reverse_digits');

it('offers what decides how a run goes on, and nothing that was decided when it began', () => {
  const keys = forkableFields(config).map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining(['learningRate', 'temperature', 'loss', 'seed']));
  for (const key of ['task', 'model', 'loraRank', 'warmStartSteps', 'baseline', 'taskConfig'] as const)
    expect(keys).not.toContain(key);
});

it('changes one setting, and says what is wrong with a value', () => {
  const changed = changedConfig(config, 'learningRate', ' 0.001 ');
  expect(changed).toEqual({ ok: true, config: { ...config, learningRate: 0.001 } });
  expect(changedConfig(config, 'learningRate', 'much')).toMatchObject({ ok: false });
  expect(changedConfig(config, 'seed', `${config.seed}`)).toMatchObject({
    ok: false,
    errors: [expect.stringContaining('already')],
  });
});
