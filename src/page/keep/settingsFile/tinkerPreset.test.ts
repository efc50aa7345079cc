/** The page asks GSM8K under Tinker's preset and files, once its rows and a model that can read them are there. */
import { expect, it, vi } from 'vitest';
import { defaultConfig, presetTask } from '@rl-playground/run/settings';
import { gsm8k } from '@rl-playground/tasks/parts';

// The store reads the page's address as it is made.
vi.stubGlobal('window', { location: { search: '' } });
const { setPreset } = await import('../../run/actions/actions.ts');
const { useRun } = await import('../../run/state/runStore.ts');
const { useForm } = await import('../../run/form/formStore.ts');
const { useOpen } = await import('../../ui/open/openStore.ts');
const { loadSettings } = await import('./settingsFile.ts');

const withModel = (modelIsOurs: boolean): void =>
  useRun.setState(({ snapshot }) => ({
    snapshot: { ...snapshot, modelIsOurs, modelName: modelIsOurs ? 'starter' : 'org/name' },
  }));
const form = () => useForm.getState().form;

const COOKBOOK = {
  recipe_name: 'recipe_rl_basic',
  model_name: 'org/name',
  learning_rate: 4e-5,
  dataset_builder: { batch_size: 64, group_size: 8, convo_prefix: 'standard' },
};
const load = (): Promise<void> => loadSettings(new File([JSON.stringify(COOKBOOK)], 'config.json'));

const row = (question: string) => ({ question, answer: '#### 1' });

it('is GSM8K for a model of the user’s own, once the rows are loaded, and addition before', async () => {
  useForm.setState({ form: defaultConfig('reverse_digits') });
  for (const ours of [true, false]) {
    withModel(ours);
    setPreset('tinker-rl-basic');
    expect(form()).toEqual(defaultConfig('tinker_arithmetic', 'tinker-rl-basic'));
    await load();
    expect(form()).toMatchObject({ task: 'tinker_arithmetic', preset: 'tinker-rl-basic' });
    expect(presetTask('tinker-rl-basic', !ours)).toBe('tinker_arithmetic');
  }

  gsm8k.dataset?.provide({
    train: Array.from({ length: 40 }, (_, i) => row(`How many is ${i}?`)),
    test: [row('How many are they all?'), row('How many are left?')],
  });
  expect(presetTask('tinker-rl-basic', true)).toBe('gsm8k');
  expect(presetTask('tinker-rl-basic', false)).toBe('tinker_arithmetic');
  setPreset('tinker-rl-basic');
  expect(form()).toEqual(defaultConfig('gsm8k', 'tinker-rl-basic'));
  expect(form().taskConfig).toEqual({ format_weight: 0.1, require_stop_string: true });
  await load();
  expect(useOpen.getState().notices.at(-1)?.text).toContain('recipe_name: "recipe_rl_basic"');
  expect(form()).toEqual({
    ...defaultConfig('gsm8k', 'tinker-rl-basic'),
    taskConfig: { format_weight: 0.1, require_stop_string: true, few_shot: true },
    model: 'org/name',
    problemsPerStep: 64,
    rolloutsPerProblem: 8,
  });

  withModel(true);
  setPreset('tinker-rl-basic');
  expect(form().task).toBe('tinker_arithmetic');
  await load();
  expect(form()).toMatchObject({ task: 'tinker_arithmetic', problemsPerStep: 64 });
});
