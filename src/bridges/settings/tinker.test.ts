import { expect, test } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { dialectOfText, readSettings } from './read.ts';
import { notesOf, type SettingsRead } from '@rl-playground/run/settings/files';

/** Every key of the cookbook's `rl.train.Config`, as a run of rl_basic writes them. */
const WHOLE = {
  learning_rate: 3e-5,
  dataset_builder: {
    batch_size: 24,
    model_name_for_tokenizer: 'some/model',
    renderer_name: 'qwen3',
    group_size: 6,
    convo_prefix: 'standard',
    seed: 5,
  },
  model_name: 'some/model',
  recipe_name: 'recipe_rl_basic',
  max_tokens: 48,
  log_path: '/somewhere',
  eval_every: 7,
  save_every: 9,
  evaluator_builders: [],
  load_checkpoint_path: null,
  renderer_name: 'qwen3',
  wandb_project: null,
  wandb_name: null,
  kl_penalty_coef: 0,
  kl_discount_factor: 0,
  kl_reference_config: null,
  loss_fn: 'ppo',
  loss_fn_config: { clip_low_threshold: 0.7, clip_high_threshold: 1.4 },
  num_substeps: 2,
  lora_rank: 8,
  temperature: 0.9,
  compute_post_kl: true,
  remove_constant_reward_groups: true,
  rollout_error_tolerance: null,
  termination: null,
  enable_trace: false,
  span_chart_every: 0,
  async_config: { max_steps_off_policy: 2, groups_per_batch: 20 },
  stream_minibatch_config: null,
  base_url: null,
  ttl_seconds: 604800,
  rolling_save_every: 0,
  rolling_ttl_seconds: 7200,
  num_groups_to_log: 4,
  rollout_json_export: true,
  max_steps: 11,
};

function read(file: object, model?: string): SettingsRead {
  const result = readSettings(JSON.stringify(file), model === undefined ? {} : { model });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

test('a run of rl_basic is read whole: each key is a setting, or named', () => {
  expect(dialectOfText(JSON.stringify(WHOLE))).toBeNull();
  const { config, replaced, ignored, given } = read(WHOLE);
  expect(config).toEqual({
    ...defaultConfig('tinker_arithmetic', 'tinker-rl-basic'),
    learningRate: 3e-5,
    problemsPerStep: 20,
    rolloutsPerProblem: 6,
    seed: 5,
    maxTokens: 48,
    evalEvery: 7,
    saveSteps: 9,
    loss: 'ppo',
    clipLow: 0.7,
    clipHigh: 1.4,
    numSubsteps: 2,
    loraRank: 8,
    temperature: 0.9,
    computePostKl: true,
    removeConstantGroups: true,
    schedule: 'async',
    maxStepsOffPolicy: 2,
    numSteps: 11,
  });
  expect(given).toContain('preset');
  expect(replaced).toEqual([
    'Renderer: the one that the model recommends instead of "qwen3".',
    'Model: starter-arithmetic instead of some/model.',
    'Missing settings were filled from the preset tinker-rl-basic.',
  ]);
  expect(ignored.map(({ path }) => path)).toEqual([
    'recipe_name',
    'log_path',
    'evaluator_builders',
    'enable_trace',
    'span_chart_every',
    'ttl_seconds',
    'rolling_save_every',
    'rolling_ttl_seconds',
    'num_groups_to_log',
    'rollout_json_export',
    'dataset_builder.batch_size',
    'dataset_builder.model_name_for_tokenizer',
    'dataset_builder.renderer_name',
    'dataset_builder.convo_prefix',
  ]);
});

test('a run of rl_loop begins with its preset, and with the model that was asked for', () => {
  const file = {
    base_url: null,
    log_path: '/x',
    model_name: 'some/model',
    batch_size: 16,
    group_size: 4,
    ttl_seconds: 1,
  };
  const { config, replaced } = read(file, 'some/model');
  expect(config).toEqual({
    ...defaultConfig('tinker_arithmetic', 'tinker-rl-loop'),
    model: 'some/model',
    problemsPerStep: 16,
    rolloutsPerProblem: 4,
  });
  expect(replaced).toEqual(['Missing settings were filled from the preset tinker-rl-loop.']);
});

test('the lengths of a data set and new keys are not passed over', () => {
  const { config, ignored } = read({
    recipe_name: 'r',
    dataset_builder: { n_batches: 30, include_fewshot: true },
    groups_kept: 3,
    num_substep: 1,
  });
  expect(config.numSteps).toBe(30);
  expect(notesOf({ replaced: [], ignored })).toEqual([
    expect.stringContaining('Ignored recipe_name'),
    'Ignored groups_kept (3): nothing of that name is known here.',
    'Ignored num_substep (1): nothing of that name is known here; perhaps num_substeps is meant.',
    expect.stringContaining('Ignored dataset_builder.include_fewshot'),
  ]);
});

test('W&B is named with the command that sends a run there', () => {
  const { tracking, replaced, ignored } = read({ ...WHOLE, wandb_project: 'sums', wandb_name: 'one' });
  expect(tracking).toEqual([{ target: 'wandb', place: { project: 'sums', name: 'one' } }]);
  expect(replaced[0]).toContain(
    '`npx rl-playground track RUN_DIR --to wandb --project sums --name one` does it',
  );
  expect(ignored.map(({ path }) => path)).not.toContain('wandb_project');
});

test('a wrong value is refused under the name that it has', () => {
  expect(readSettings('log_path: x\nmax_tokens: 0\n')).toEqual({
    ok: false,
    errors: ['line 2: max_tokens (maxTokens): 0 is too few; choose 1 to 4096.'],
  });
});
