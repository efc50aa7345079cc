import * as yaml from 'yaml';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '@rl-playground/run/settings';
import { readSettings } from './read.ts';

const VALUES: readonly unknown[] = [
  null,
  '',
  'word',
  '${nothing}',
  '${seed}',
  'NaN',
  -1,
  0,
  0.5,
  1e300,
  true,
  [],
  [[1], {}],
  ['a', null],
  {},
  { a: { b: [1] } },
  { instance: 3, config: [], weight: 'x' },
];

const TRL = {
  datasets: { syllogism: { weight: 1, config: { invalid_ratio: 0.3 } } },
  eval_datasets: null,
  model_name_or_path: 'a/b',
  developer_prompt: 'x',
  developer_role: 'system',
  per_device_train_batch_size: 8,
  gradient_accumulation_steps: 1,
  steps_per_generation: 1,
  generation_batch_size: 8,
  num_generations: 4,
  num_iterations: 1,
  max_steps: 10,
  num_train_epochs: 1,
  dataset_size: 100,
  warmup_ratio: 0.1,
  warmup_steps: 0,
  lr_scheduler_type: 'linear',
  optim: 'adamw_torch',
  save_strategy: 'steps',
  save_steps: 5,
  use_peft: true,
  lora_r: 8,
  lora_target_modules: 'all-linear',
  reward_weights: [1, 1],
  scale_rewards: 'group',
  loss_type: 'dapo',
  epsilon: 0.2,
  sync_ref_model: false,
  ref_model_sync_steps: 64,
  report_to: 'none',
};
const RLVR = {
  defaults: [{ 'training@rlvr_training': 'rlvr_small' }, '_self_'],
  seed: 1,
  run_name: '${now:%Y}',
  rlvr_training: {
    num_epochs: 2,
    samples_per_epoch: 10,
    max_batches_per_epoch: 2,
    max_prompt_length: 10,
    max_generation_length: 40,
    complexity_range: [1, 2],
    batch_size: 4,
    mini_batch_size: 2,
    gradient_accumulation_steps: 1,
    cliprange: 0.2,
    target_kl: 0.1,
    early_stopping: true,
    reward_type: 'boxed',
    boxed_weight: 1,
    correct_weight: 0,
    checkpoint_every: 1,
  },
  training_data_generator: { name: 'x', instance: { p: 5, operators: ['+'], representation: 'rpn' } },
};

/** Each mapping inside `tree` with each of its keys, as paths. */
function paths(tree: object, above: readonly string[] = []): (readonly string[])[] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
    const path = [...above, key];
    const below =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? paths(value, path) : [];
    return [path, ...below];
  });
}

function withValue(tree: object, path: readonly string[], value: unknown): unknown {
  const document = new yaml.Document(tree);
  document.setIn(path, value);
  return document.toJS();
}

describe.each([
  ['RL for Real', TRL],
  ['simplexity RLVR', RLVR],
])('a file of %s', (_name, tree) => {
  const places = paths(tree).map((path) => [path.join('.'), path] as const);
  it.each(places)('is read or refused, whatever stands at %s', (_place, path) => {
    const key = path.at(-1) ?? '';
    for (const value of VALUES) {
      const result = readSettings(JSON.stringify(withValue(tree, path, value)));
      if (result.ok) expect(parseConfig(result.config)).toEqual({ ok: true, config: result.config });
      else
        for (const error of result.errors) {
          expect(error).toMatch(/^(line \d+: )?[\w.@ ()-]+: \S.*\.$/s);
          expect(error.length).toBeLessThan(400);
        }
      const silent =
        result.ok && typeof value === 'object' && value !== null && Object.keys(value).length > 0;
      if (silent) expect(JSON.stringify(result)).toContain(key);
      if (result.ok && value === 'word') expect(JSON.stringify(result)).toContain('word');
    }
  });
});
