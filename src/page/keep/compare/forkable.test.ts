import { expect, it } from 'vitest';
import { defaultConfig, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { changedConfig, forkableFields, forkChoices } from './forkable.ts';

const config = defaultConfig('reverse_digits');

it('offers what decides how a run goes on, and nothing that was decided when it began', () => {
  const keys = forkableFields(config).map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining(['learningRate', 'temperature', 'loss', 'seed']));
  for (const key of ['task', 'model', 'loraRank', 'warmStartSteps', 'baseline', 'taskConfig'] as const)
    expect(keys).not.toContain(key);
});

/** The config with the choice of that name changed. */
function changed(id: string, text: string, of: RunConfig = config) {
  const choice = forkChoices(of, new Set())
    .flatMap(({ items }) => items)
    .find((each) => each.id === id);
  if (choice === undefined) throw new Error(`A fork does not offer ${id}.`);
  return changedConfig(of, choice, text);
}

it('changes one setting, and says what is wrong with a value', () => {
  expect(changed('learningRate', ' 0.001 ')).toEqual({
    ok: true,
    config: { ...config, learningRate: 0.001 },
  });
  expect(changed('learningRate', 'much')).toMatchObject({ ok: false });
  expect(changed('seed', `${config.seed}`)).toMatchObject({
    ok: false,
    errors: [expect.stringContaining('already')],
  });
});

it('changes a setting of the task, what is paid among them, and keeps its others', () => {
  const before = { ...config, taskConfig: { min_digits: 3 } };
  expect(changed('task.step_weight', '0.5', before)).toEqual({
    ok: true,
    config: { ...before, taskConfig: { min_digits: 3, step_weight: 0.5 } },
  });
  // At its default it needs no mention.
  expect(changed('task.min_digits', '7', before)).toMatchObject({ config: { taskConfig: {} } });
  expect(changed('task.step_weight', 'a lot', before)).toEqual({
    ok: false,
    errors: [expect.stringMatching(/is not a number; choose/)],
  });
  // Fields that each are right, and not together.
  expect(changed('task.max_digits', '2', before)).toMatchObject({ ok: false });
});

it('leaves a task alone that a link keeps, and those of a mixture', () => {
  const groups = (of: RunConfig, ...locked: FieldKey[]) =>
    forkChoices(of, new Set(locked)).map(({ group }) => group);
  expect(groups(config)).toEqual(['The run', 'The task: Reverse digits']);
  expect(groups(config, 'taskConfig')).toEqual(['The run']);
  expect(groups({ ...config, task: 'mixture' })).toEqual(['The run']);
});
