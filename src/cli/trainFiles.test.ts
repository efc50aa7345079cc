import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { settingsAsYaml } from '@rl-playground/run/settings/files';
import { defaultConfig, PRESETS, PRESET_NAMES, SETTINGS_VERSION } from '@rl-playground/run/settings';
import { accepted, refused } from './testing/trainWords.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** Writes a settings file and returns its path. */
function file(name: string, text: string): string {
  const path = join(FOLDER, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}
describe('--config', () => {
  test('reads a file of every preset as it was written', () => {
    for (const preset of PRESET_NAMES) {
      const config = defaultConfig(PRESETS[preset].task ?? 'sum_digits', preset);
      expect(accepted('--config', file(`${preset}.yaml`, settingsAsYaml(config))).config).toEqual(config);
    }
  });

  test('stands between the preset and the options', () => {
    const path = file('part.yaml', 'num_steps: 33\ntemperature: 0.8\nmax_tokens: 50\n');
    const words = ['--preset', 'monarch-digits', '--config', path, '--num-steps', '5', 'max_tokens=60'];
    expect(accepted(...words).config).toEqual({
      ...defaultConfig('sum_digits', 'monarch-digits'),
      numSteps: 5,
      temperature: 0.8,
      maxTokens: 60,
    });
    expect(accepted('--config', path).config).toMatchObject({ numSteps: 33, evalSamples: 20 });
    const json = file('part.json', '{"task": "chain_sum", "numSteps": 3}');
    expect(accepted('--config', json).config).toMatchObject({ task: 'chain_sum', numSteps: 3 });
    expect(accepted('--config', json, '--task', 'gcd').config).toMatchObject({
      task: 'gcd',
      taskConfig: defaultConfig('gcd').taskConfig,
      numSteps: 3,
    });
  });

  test('reads a checkpoint’s file, which is also the model’s, with its command line', () => {
    const run = { ...defaultConfig('gcd'), temperature: 0.7 };
    const path = file(
      'config.json',
      JSON.stringify({
        model_type: 'llama',
        torch_dtype: 'float32',
        rl_playground: { version: SETTINGS_VERSION, run },
      }),
    );
    const { config, notes } = accepted('--config', path, 'seed=4', '--num-steps', '3');
    expect(config).toEqual({ ...run, seed: 4, numSteps: 3 });
    expect(notes).toEqual([]);
  });

  test('reads a file of RL for Real', () => {
    file(
      'config/grpo.yaml',
      'datasets: {syllogism: {config: {num_premises: 2}}}\nmodel_name_or_path: a/b\nmax_steps: 50\n' +
        'per_device_train_batch_size: 8\nnum_generations: 4\nreport_to: none\n',
    );
    const words = ['--config-path', join(FOLDER, 'config'), '--config-name', 'grpo', 'max_steps=100'];
    const { config, notes } = accepted(...words);
    expect(config).toMatchObject({ numSteps: 100, problemsPerStep: 2, rolloutsPerProblem: 4 });
    expect(notes).toContain('Replaced. Model: starter-logic instead of a/b.');
    expect(notes.filter((note) => note.startsWith('Ignored '))).toEqual([
      expect.stringMatching(/^Ignored datasets\.syllogism\.config\.num_premises \(2\): /),
      expect.stringMatching(/^Ignored report_to \("none"\): /),
    ]);
  });

  test('takes away what Hydra’s command line takes away', () => {
    const main = file('main.yaml', 'defaults:\n  - logging: own\n  - training@rlvr_training: rlvr_large\n');
    expect(accepted('--config', main).notes.join()).toContain('defaults.logging');
    expect(accepted('--config', main, '~logging').notes.join()).not.toContain('defaults.logging');
    expect(refused('--config', main, '~rlvr_training.colour').text).toBe(
      'main.yaml: ~rlvr_training.colour: there is nothing of that name to take away; leave it out.',
    );
    expect(
      accepted('--config', main, 'training_data_generator.instance.operators=[+,-]').config.taskConfig,
    ).toMatchObject({ operators: ['+', '-'] });
  });

  test('reads Hydra’s groups from the folders beside the file', () => {
    const main = file('hydra/main.yaml', 'defaults:\n  - training@rlvr_training: own\nseed: 3\n');
    file('hydra/training/own.yaml', 'seed: ${seed}\nppo_epochs: 7\nvf_coef: 0.3\nlog_every: 1\n');
    const { config, notes } = accepted('--config', main, 'rlvr_training.temperature=0.5', 'group_size=2');
    expect(config).toMatchObject({
      seed: 3,
      ppoEpochs: 7,
      valueCoef: 0.3,
      temperature: 0.5,
      rolloutsPerProblem: 2,
    });
    expect(notes.some((note) => note.startsWith('Ignored rlvr_training.log_every'))).toBe(true);
  });

  test('knows the main configurations by name', () => {
    const { config, notes } = accepted('--config-name=train_rlvr_test', '--seed', '4');
    expect(config).toEqual({ ...defaultConfig('rpn_arithmetic', 'rlvr-test'), seed: 4 });
    expect(accepted('--config-name=train_rlvr_test').config.seed).toBe(42);
    expect(accepted('--config-name=train_rlvr_test', 'seed=5').config.seed).toBe(5);
    expect(notes[0]).toMatch(/^--config-name train_rlvr_test: there is no file .*rlvr-test/);
  });

  test.each([
    [['--config', 'missing.yaml'], /^--config: there is no file missing\.yaml/],
    [['--config', '.'], /^--config: a folder is no file: \./],
    [['--config-name', 'missing'], /^--config-name: there is no file missing\.yaml; the names known/],
    [['--config-path', 'config'], /--config-name/],
    [['--config', 'a.yaml', '--config-name', 'b'], /give one of them/],
  ])('is refused: %j', (words, message) => {
    const { text, exitCode } = refused(...words);
    expect(exitCode).toBe(2);
    expect(text).toMatch(message);
  });

  test('says where a file is wrong', () => {
    const path = file('wrong.yaml', 'seed: 1\ntop_p: 3\n');
    expect(refused('--config', path)).toEqual({
      exitCode: 2,
      text: 'wrong.yaml: line 2: top_p (topP): 3 is too large; choose 0.01 to 1.',
    });
  });
});
