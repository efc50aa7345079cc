/** TRL's present settings of loss, reference and warm-up are read. */
import { expect, it } from 'vitest';
import { readSettings } from './read.ts';

const WHOLE = `
datasets: {syllogism: {}}
model_name_or_path: some/model
max_steps: 120
per_device_train_batch_size: 12
num_generations: 4
lr_scheduler_type: linear
`;

it.each([
  ['sync_ref_model: true', 'klReferenceMixup', 0.6],
  ['sync_ref_model: true\nref_model_mixup_alpha: 1', 'klReferenceMixup', 1],
  ['sync_ref_model: true\ngeneration_batch_size: 24', 'klReferenceEvery', 256],
  ['use_bias_correction_kl: false', 'klBiasCorrection', false],
  ['loss_type: luspo', 'lossReduction', 'sequence_sum'],
  ['loss_type: sapo\nsapo_temperature_neg: 2', 'sapoTemperatureNegative', 2],
  ['loss_type: vespo\nvespo_k_pos: 1.5', 'vespoKPositive', 1.5],
  ['loss_type: vespo\nimportance_sampling_level: sequence', 'ratioLevel', 'token'],
  ['off_policy_mask_threshold: 0.5', 'offPolicyThreshold', 0.5],
  ['top_entropy_quantile: 0.2', 'topEntropyQuantile', 0.2],
  ['entropy_coef: 0.01', 'entropyCoef', 0.01],
  ['multi_objective_aggregation: normalize_then_sum', 'rewardAggregation', 'normalize_then_sum'],
  ['warmup_steps: 0.1', 'warmupSteps', 12],
  ['warmup_steps: 0.25\nwarmup_ratio: 0.1', 'warmupSteps', 30],
  ['use_vllm: true', 'importanceMode', 'sequence_mask'],
  ['use_vllm: true', 'importanceCap', 3],
  ['use_vllm: true\nvllm_importance_sampling_mode: token_truncate', 'importanceMode', 'token_truncate'],
  ['use_vllm: true\nvllm_importance_sampling_clip_max: 2', 'importanceCap', 2],
  ['use_vllm: true\nvllm_importance_sampling_cap: 2', 'importanceCap', 2],
  ['use_vllm: true\nvllm_importance_sampling_clip_min: 0.5', 'importanceFloor', 0.5],
  ['use_vllm: true\nvllm_importance_sampling_correction: false', 'importanceCap', 0],
  ['vllm_importance_sampling_clip_max: 2', 'importanceCap', 0],
] as const)('reads %s', (lines, key, value) => {
  const result = readSettings(`${WHOLE}${lines}\n`);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  expect(result.config[key]).toBe(value);
});

it.each([
  ['warmup_steps: 2.5', /^line \d+: warmup_steps: 2\.5 is neither a whole number of steps nor a share/],
  [
    'use_vllm: true\nvllm_importance_sampling_clip_max: null',
    /^line \d+: vllm_importance_sampling_clip_max: null leaves the weights without any bound/,
  ],
])('refuses %s', (lines, message) => {
  const result = readSettings(`${WHOLE}${lines}\n`);
  expect(result.ok ? [] : result.errors).toEqual([expect.stringMatching(message)]);
});

it('names what decides nothing without vLLM, and what samples in its place', () => {
  const without = readSettings(`${WHOLE}vllm_importance_sampling_clip_max: 2\n`);
  expect(without.ok && without.ignored).toEqual([
    { path: 'vllm_importance_sampling_clip_max', value: 2, reason: 'use_vllm is not on' },
  ]);
  const on = readSettings(`${WHOLE}use_vllm: true\n`);
  expect(on.ok && on.replaced).toContain('Sampling: this page’s own generators instead of vLLM (use_vllm).');
  expect(on.ok && on.config.oldLogprobs).toBe('trainer');
});

it('takes TRL’s own answer length, as far as there is room', () => {
  const read = readSettings(WHOLE);
  expect(read.ok && read.config.maxTokens).toBe(422);
  expect(read.ok && read.replaced.some((each) => each.includes('422 tokens instead of 512'))).toBe(true);
});

it('divides by the mean tokens of several updates, in a part of a file too', () => {
  const read = readSettings('per_device_train_batch_size: 4\nnum_generations: 4\nsteps_per_generation: 2\n');
  expect(read.ok && read.config).toMatchObject({ loss: 'dapo', lossReduction: 'batch_token_mean' });
});

it('takes a share of warm-up for TRL’s, in a file of names that are settings here too', () => {
  const read = readSettings('max_steps: 50\nloss_type: sapo\nwarmup_steps: 0.1\n');
  expect(read.ok && read.config).toMatchObject({ loss: 'sapo', numSteps: 50, warmupSteps: 5 });
  const own = readSettings('max_steps: 50\nloss_type: sapo\nwarmup_steps: 3\n');
  expect(own.ok && own.config).toMatchObject({ preset: 'default', warmupSteps: 3 });
});
