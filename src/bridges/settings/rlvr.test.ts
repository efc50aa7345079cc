import * as yaml from 'yaml';
import { describe, expect, it } from 'vitest';
import { defaultConfig, updatesPerBatch } from '@rl-playground/run/settings';
import { readSettings, type ReadOptions } from './read.ts';
import type { SettingsRead } from '@rl-playground/run/settings/files';

/** A main configuration that names its groups, with the keys of the README's example. */
const MAIN = `
defaults:
  - _self_
  - generative_process@training_data_generator: rpn_arithmetic
  - predictive_model: pytorch_transformer
  - logging: mlflow_logger
  - training@rlvr_training: rlvr_small

seed: 77
experiment_name: own_words
run_name: \${now:%Y-%m-%d}_\${experiment_name}_\${seed}
`;

/** A training file with every key of its kind. */
const TRAINING = `
defaults:
  - _self_
seed: \${seed}
num_epochs: 6
samples_per_epoch: 100
max_prompt_length: 20
max_generation_length: 60
complexity_range: [2, 4]
ppo_steps: 40
learning_rate: 2.0e-5
batch_size: 12
mini_batch_size: 3
gradient_accumulation_steps: 2
ppo_epochs: 3
cliprange: 0.15
cliprange_value: 0.25
vf_coef: 0.05
target_kl: 0.08
early_stopping: true
temperature: 0.9
top_p: 0.85
reward_type: "combined"
boxed_weight: 0.4
correct_weight: 0.6
log_every: 2
checkpoint_every: 2
max_batches_per_epoch: 7
`;

const PROCESS = `
name: rpn_arithmetic
vocab_size: 12
instance:
  _target_: some.module.create
  representation: rpn
  p: 7
  max_operations: 2
  operators: ["+", "*"]
bos_token: null
eos_token: null
`;

const MODEL = `
name: pytorch_transformer
instance:
  _target_: some.module.build
  vocab_size: 18
  d_model: 64
  num_layers: 1
  n_ctx: 16
  act_type: ReLU
  use_ln: false
  dropout: 0.1
load_checkpoint_step: null
`;

const NOW = new Date(2030, 4, 6);

function read(text: string, options: ReadOptions = {}): SettingsRead {
  const result = readSettings(text, { now: NOW, ...options });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

function refused(text: string): readonly string[] {
  const result = readSettings(text);
  if (result.ok) throw new Error('It was read.');
  return result.errors;
}

const groups = (files: Readonly<Record<string, string>>) => (group: string, option: string) => {
  const text = files[`${group}/${option}`];
  return text === undefined ? null : { tree: yaml.parse(text) as Readonly<Record<string, unknown>> };
};

describe('a main configuration of RLVR alone', () => {
  it('takes the groups that are known by name', () => {
    const { config, replaced } = read(MAIN);
    expect(config).toEqual({
      ...defaultConfig('rpn_arithmetic', 'rlvr-small'),
      seed: 77,
      taskConfig: {
        min_complexity: 1,
        max_complexity: 3,
        reward_type: 'combined',
        boxed_weight: 0.3,
        correct_weight: 0.7,
        p: 13,
        operators: ['+'],
      },
    });
    expect(replaced).toContain('Model: rlvr-scratch instead of pytorch_transformer.');
    expect(replaced.filter((sentence) => sentence.includes('was not given'))).toHaveLength(2);
  });

  it.each([
    ['rlvr_large', 'rlvr-large'],
    ['rlvr_test', 'rlvr-test'],
    ['small', 'rlvr-small'],
    ['large', 'rlvr-large'],
    ['test', 'rlvr-test'],
  ] as const)('knows the training group %s', (option, preset) => {
    const { config } = read(MAIN.replace('rlvr_small', option));
    const expected = defaultConfig('rpn_arithmetic', preset);
    expect({ ...config, taskConfig: {}, seed: 0 }).toEqual({ ...expected, taskConfig: {}, seed: 0 });
    expect(config.taskConfig).toMatchObject(expected.taskConfig);
  });

  it('names what has no meaning here, with interpolations filled in', () => {
    const { ignored } = read(MAIN.replace('mlflow_logger', 'print_logger'));
    const found = new Map(ignored.map(({ path, value }) => [path, value]));
    expect(found).toEqual(
      new Map([
        ['defaults.logging', 'print_logger'],
        ['experiment_name', 'own_words'],
        ['run_name', '2030-05-06_own_words_77'],
      ]),
    );
    expect(read(MAIN).ignored).toEqual([]);
  });

  it('names a group that nobody knows, and takes the small settings', () => {
    const { config, ignored } = read(MAIN.replace('rlvr_small', 'rlvr_giant'));
    expect(config).toMatchObject({ preset: 'rlvr-small', ppoEpochs: 4 });
    expect(ignored).toContainEqual({
      path: 'defaults.training@rlvr_training',
      value: 'rlvr_giant',
      reason: 'its file was not given, and the name is not known here',
    });
  });

  it('takes null for nothing of a group, and keys that were written in place', () => {
    const text = MAIN.replace('mlflow_logger', 'null').replace(
      '  - training@rlvr_training: rlvr_small\n',
      '',
    );
    const { config, ignored } = read(`${text}rlvr_training:\n  ppo_epochs: 2\n  temperature: 1.5\n`);
    expect(config).toMatchObject({ ppoEpochs: 2, temperature: 1.5, miniBatchSize: 4 });
    expect(ignored.map(({ path }) => path)).not.toContain('defaults.logging');
  });
});

describe('a training file of RLVR', () => {
  // 12 prompts a step in mini-batches of 3, 2 of them an update, 3 passes; an epoch has min(7, ⌈100 / 12⌉ = 9) batches. The longest
  // prompt has its start sign, 5 operands and 4 operators: 10 of 60 signs.
  const EXPECTED = {
    problemsPerStep: 12,
    rolloutsPerProblem: 1,
    miniBatchSize: 3,
    gradientAccumulation: 2,
    ppoEpochs: 3,
    numSteps: 42,
    saveSteps: 14,
    maxTokens: 50,
    learningRate: 2e-5,
    clipMeaning: 'epsilon',
    clipLow: 0.15,
    clipHigh: 0.15,
    targetKl: 0.08,
    temperature: 0.9,
    topP: 0.85,
    loss: 'ppo',
    lossReduction: 'sequence_sum',
    baseline: 'value',
    valueClip: 0.25,
    valueCoef: 0.05,
    valueRate: 1,
  };
  const TASK = {
    min_complexity: 2,
    max_complexity: 4,
    reward_type: 'combined',
    boxed_weight: 0.4,
    correct_weight: 0.6,
  };
  const MEANINGLESS = ['ppo_steps', 'max_prompt_length', 'log_every'];

  it('is read by itself, with its reference to a seed that is not there', () => {
    const { config, ignored } = read(TRAINING);
    expect(config).toMatchObject({ ...EXPECTED, taskConfig: TASK, seed: 0 });
    expect(updatesPerBatch(config)).toBe(6);
    expect(new Set(ignored.map(({ path }) => path))).toEqual(new Set(['seed', ...MEANINGLESS]));
    expect(ignored.find(({ path }) => path === 'seed')).toMatchObject({ value: '${seed}' });
  });

  it('is read as a group of a main configuration, beside its arithmetic', () => {
    const text = MAIN.replace('rlvr_small', 'own').replace('rpn_arithmetic', 'seven');
    const { config, ignored, replaced } = read(text, {
      readGroup: groups({ 'training/own': TRAINING, 'generative_process/seven': PROCESS }),
    });
    expect(config).toMatchObject({
      ...EXPECTED,
      taskConfig: { ...TASK, p: 7, operators: ['+', '*'] },
      seed: 77,
    });
    expect(replaced.filter((sentence) => !sentence.startsWith('Logging'))).toEqual([
      'Model: rlvr-scratch instead of pytorch_transformer.',
    ]);
    const paths = ignored.map(({ path }) => path);
    for (const key of MEANINGLESS) expect(paths).toContain(`rlvr_training.${key}`);
    for (const key of ['name', 'vocab_size', 'bos_token', 'instance._target_', 'instance.max_operations'])
      expect(paths).toContain(`training_data_generator.${key}`);
  });

  it('has each key of its model named, with what rlvr-scratch has in its place', () => {
    const { ignored } = read(MAIN, { readGroup: groups({ 'predictive_model/pytorch_transformer': MODEL }) });
    const ofModel = ignored.filter(({ path }) => path.startsWith('predictive_model.'));
    expect(ofModel.map(({ path }) => path.slice('predictive_model.'.length))).toEqual([
      'name',
      'instance._target_',
      'instance.vocab_size',
      'instance.d_model',
      'instance.num_layers',
      'instance.n_ctx',
      'instance.act_type',
      'instance.use_ln',
      'instance.dropout',
      'load_checkpoint_step',
    ]);
    for (const { reason } of ofModel)
      expect(reason).toMatch(
        /rlvr-scratch.*width 128 with 4 heads.*MLP of 512.*RMSNorm and 256 rotary positions/,
      );
    expect(read('predictive_model: 3\nvf_coef: 0.1\n').ignored).toContainEqual(
      expect.objectContaining({ path: 'predictive_model', value: 3 }),
    );
  });

  it('may hold settings of this project beside its own, and numbers and flags as YAML 1.1 has them', () => {
    const text = TRAINING.replace('samples_per_epoch: 100', 'samples_per_epoch: 1_000')
      .replace('early_stopping: true', 'early_stopping: yes')
      .concat('group_size: 3\nloss: importance_sampling\n');
    expect(read(text).config).toMatchObject({
      ...EXPECTED,
      rolloutsPerProblem: 3,
      loss: 'importance_sampling',
    });
    expect(refused('defaults: {training: rlvr_small}\n')).toEqual([
      'line 1: defaults: {"training":"rlvr_small"} is no list.',
    ]);
  });

  it('has ppo_steps for its steps where nothing is said of epochs, and names it where they say otherwise', () => {
    const reason = 'num_epochs times the batches of an epoch make 42 steps';
    expect(read(TRAINING).ignored).toContainEqual({ path: 'ppo_steps', value: 40, reason });
    const agreeing = read(TRAINING.replace('ppo_steps: 40', 'ppo_steps: 42'));
    expect(agreeing.ignored.map(({ path }) => path)).not.toContain('ppo_steps');
    expect(agreeing.config.numSteps).toBe(42);
    const alone = TRAINING.replace(/^(num_epochs|samples_per_epoch|max_batches_per_epoch): .*$/gm, '');
    expect(read(alone).config.numSteps).toBe(40);
    expect(read(alone).ignored.map(({ path }) => path)).not.toContain('ppo_steps');
  });

  it('stops by KL where early_stopping says so', () => {
    const { config, ignored } = read(TRAINING.replace('early_stopping: true', 'early_stopping: false'));
    expect(config.targetKl).toBe(0);
    expect(ignored).toContainEqual({ path: 'target_kl', value: 0.08, reason: 'early_stopping is false' });
  });

  it.each([
    ['complexity_range: [2, 4]', 'complexity_range: [4, 2]', /complexity_range: \[4,2\] is no range/],
    ['complexity_range: [2, 4]', 'complexity_range: 3', /complexity_range: 3 is no range/],
    ['mini_batch_size: 3', 'mini_batch_size: 13', /mini_batch_size: 13 is more than batch_size, 12/],
    ['mini_batch_size: 3', 'mini_batch_size: 5', /mini_batch_size \(miniBatchSize\): 5 does not divide/],
    [
      'gradient_accumulation_steps: 2',
      'gradient_accumulation_steps: 3',
      /gradientAccumulation\): 3 does not divide the 4 mini-batches/,
    ],
    [
      'max_generation_length: 60',
      'max_generation_length: 20',
      /max_generation_length: 20 counts prompt and answer/,
    ],
    [
      'max_prompt_length: 20\nmax_generation_length: 60',
      'max_prompt_length: 5\nmax_generation_length: 10',
      /max_generation_length: 10 leaves no room/,
    ],
    ['cliprange: 0.15', 'cliprange: 1.5', /cliprange: 1.5 is too large; choose 0 to 1\./],
    ['cliprange: 0.15', 'cliprange: 0', /cliprange: 0 is too small/],
    ['cliprange_value: 0.25', 'cliprange_value: 0', /cliprange_value: 0 is too small/],
    ['cliprange_value: 0.25', 'cliprange_value: 2', /cliprange_value: 2 is too large/],
    ['vf_coef: 0.05', 'vf_coef: -1', /vf_coef: -1 is too small/],
    ['ppo_steps: 40', 'ppo_steps: 0', /ppo_steps: 0 is too small/],
    ['target_kl: 0.08', 'target_kl: 0', /target_kl: 0 is too small/],
    ['top_p: 0.85', 'top_p: 2', /top_p: 2 is too large/],
    [
      'reward_type: "combined"',
      'reward_type: "praise"',
      /reward_type: "praise" does not exist; choose one of: combined, boxed, correct/,
    ],
    [
      'boxed_weight: 0.4\ncorrect_weight: 0.6',
      'boxed_weight: 0\ncorrect_weight: 0',
      /boxed_weight: 0 and correct_weight 0 pay for nothing/,
    ],
    ['num_epochs: 6', 'num_epochs: many', /num_epochs: "many" is not a whole number/],
    ['early_stopping: true', 'early_stopping: perhaps', /early_stopping: "perhaps" is not a yes or no/],
  ])('is refused with line, path, value and rule: %s → %s', (from, to, message) => {
    const text = TRAINING.replace(from, to);
    expect(text).not.toBe(TRAINING);
    const errors = refused(text);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^line \d+: /);
    expect(errors[0]).toMatch(message);
  });
});

describe('Hydra’s command line', () => {
  const change = (...overrides: readonly (readonly [string, unknown])[]): SettingsRead =>
    read(MAIN, { overrides: overrides.map(([path, value]) => ({ path, value })) });

  it('reaches a training setting by its package, by `training`, and bare', () => {
    for (const path of [
      'rlvr_training.num_epochs',
      'training.num_epochs',
      'num_epochs',
      '++rlvr_training.num_epochs',
    ])
      expect(change([path, 3]).config.numSteps).toBe(30);
  });

  it('chooses another group', () => {
    expect(change(['training@rlvr_training', 'rlvr_large']).config).toMatchObject({
      preset: 'rlvr-large',
      numSteps: 2500,
    });
    expect(
      change(['generative_process@training_data_generator', 'single_addition']).config.taskConfig,
    ).toMatchObject({ p: 113 });
  });

  it('adds a group, takes one away, and names what means nothing', () => {
    const alone = 'defaults: []\nseed: 3\n';
    const added = read(alone, { overrides: [{ path: '+training@rlvr_training', value: 'rlvr_test' }] });
    expect(added.config).toEqual({
      ...defaultConfig('rpn_arithmetic', 'rlvr-test'),
      taskConfig: { ...defaultConfig('rpn_arithmetic', 'rlvr-test').taskConfig, min_complexity: 1 },
      seed: 3,
    });
    const bare = read(alone, { overrides: [{ path: 'training', value: 'rlvr_test' }] });
    expect(bare.config).toEqual(added.config);
    expect(change(['~logging', null]).ignored.map(({ path }) => path)).not.toContain('defaults.logging');
    expect(change(['~training.boxed_weight', null]).config.taskConfig).toMatchObject({ boxed_weight: 0.3 });
    const { ignored } = change(['rlvr_training.tempurature', 1], ['__proto__.x', 2]);
    expect(ignored.filter(({ value }) => value === 1 || value === 2)).toEqual([
      {
        path: 'rlvr_training.tempurature',
        value: 1,
        reason: 'nothing of that name is known here; perhaps temperature is meant',
      },
      { path: '__proto__.x', value: 2, reason: 'nothing of that name is known here' },
    ]);
  });

  it('takes null for no stop by KL and no checkpoints on the way', () => {
    const large = ['training@rlvr_training', 'rlvr_large'] as const;
    expect(change(large).config).toMatchObject({ targetKl: 0.05, saveSteps: 500 });
    const { config } = change(large, ['training.target_kl', null], ['training.checkpoint_every', null]);
    expect(config).toMatchObject({ targetKl: 0, saveSteps: 0 });
  });

  it('reaches the arithmetic and the seed', () => {
    const { config } = change(['training_data_generator.instance.p', 5], ['seed', 9]);
    expect([config.taskConfig.p, config.seed]).toEqual([5, 9]);
  });
});
