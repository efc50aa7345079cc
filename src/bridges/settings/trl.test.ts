import { describe, expect, it } from 'vitest';
import { defaultConfig, type RunConfig } from '@rl-playground/run/settings';
import { readSettings } from './read.ts';
import type { SettingsRead } from '@rl-playground/run/settings/files';

/** A whole run with the keys of RL for Real's first file. */
const FIRST = `
dataset_size: 4000
developer_prompt: DeepSeekZero
developer_role: system
eval_num_samples: 24
eval_num_examples_to_print: 1
fixed_eval_steps: 30
log_reward_variance: true
verbose_variance_logging: false
auto_resume: false
datasets:
  syllogism:
    weight: 1.0
    config:
      allow_all: true
      allow_no: true
      allow_some: false
      allow_some_not: false
      invalid_ratio: 0.4
model_name_or_path: Qwen/Qwen2.5-1.5B-Instruct
output_dir: outputs/one
run_name: one
max_steps: 120
num_train_epochs: 1
per_device_train_batch_size: 12
per_device_eval_batch_size: 16
gradient_accumulation_steps: 1
learning_rate: 2e-6
warmup_ratio: 0.1
lr_scheduler_type: constant_with_warmup
lr_scheduler_kwargs:
  num_warmup_steps: 7
num_generations: 4
max_prompt_length: 512
max_completion_length: 200
temperature: 0.65
save_strategy: steps
save_steps: 60
save_total_limit: 2
logging_steps: 5
logging_first_step: true
bf16: true
gradient_checkpointing: true
seed: 17
report_to: wandb
`;

/** The same with lines put in, or in place of those of the same keys. */
function changed(...lines: readonly string[]): string {
  const keys = lines.map((line) => line.slice(0, line.indexOf(':') + 1));
  const kept = FIRST.split(/\n(?=\S)/).filter((part) => !keys.some((key) => part.startsWith(key)));
  return [...kept, ...lines].join('\n');
}

function read(text: string): SettingsRead {
  const result = readSettings(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

function refused(text: string): readonly string[] {
  const result = readSettings(text);
  if (result.ok) throw new Error('It was read.');
  return result.errors;
}

function valuesOf<Key extends keyof RunConfig>(text: string, ...keys: readonly Key[]): unknown[] {
  const { config } = read(text);
  return keys.map((key) => config[key]);
}

describe('a whole file of RL for Real', () => {
  it('becomes a run of this project', () => {
    expect(read(FIRST).config).toEqual({
      ...defaultConfig('syllogism', 'rl-for-real-grpo'),
      taskConfig: {
        allow_all: true,
        allow_no: true,
        allow_some: false,
        allow_some_not: false,
        invalid_ratio: 0.4,
        format_weight: 1,
        developer_prompt: 'think',
      },
      model: 'starter-logic',
      numSteps: 120,
      lossReduction: 'batch_token_mean',
      klBiasCorrection: true,
      // 12 sequences are 3 problems of 4.
      problemsPerStep: 3,
      rolloutsPerProblem: 4,
      learningRate: 2e-6,
      warmupSteps: 12,
      temperature: 0.65,
      maxTokens: 200,
      saveSteps: 60,
      seed: 17,
      evalSamples: 24,
      evalEvery: 30,
    });
  });

  it('has each key without a meaning named, with its value and a reason', () => {
    const { ignored, replaced } = read(FIRST);
    const found = new Map(ignored.map(({ path, value }) => [path, value]));
    expect(found).toEqual(
      new Map<string, unknown>([
        ['dataset_size', 4000],
        ['eval_num_examples_to_print', 1],
        ['log_reward_variance', true],
        ['verbose_variance_logging', false],
        ['auto_resume', false],
        ['output_dir', 'outputs/one'],
        ['num_train_epochs', 1],
        ['per_device_eval_batch_size', 16],
        ['lr_scheduler_kwargs.num_warmup_steps', 7],
        ['max_prompt_length', 512],
        ['save_total_limit', 2],
        ['logging_steps', 5],
        ['logging_first_step', true],
        ['bf16', true],
        ['gradient_checkpointing', true],
      ]),
    );
    for (const { reason } of ignored) expect(reason).toMatch(/^\S.{9,}[^.]$/);
    expect(replaced).toEqual([
      'Model: starter-logic instead of Qwen/Qwen2.5-1.5B-Instruct.',
      'System prompt: this project’s own, which asks for thoughts between <think> and </think> and then the answer, for developer_prompt "DeepSeekZero"; models that read English are told it, the bundled ones read the question alone.',
      'Logging to W&B (report_to "wandb", run_name "one"): `npx rl-playground track RUN_DIR --to wandb --name one` does it, after the run or with --follow during it, and --track wandb beside the training; nothing is sent without one of them.',
    ]);
  });

  it('takes what it leaves out from TRL, not from the preset', () => {
    const text = `datasets: {syllogism: {}}\nmodel_name_or_path: some/model\nmax_steps: 10\n`;
    expect(valuesOf(text, 'problemsPerStep', 'rolloutsPerProblem', 'temperature', 'maxTokens')).toEqual([
      1, 8, 1, 422,
    ]);
    expect(
      valuesOf(text, 'lrSchedule', 'warmupSteps', 'loss', 'advantageScale', 'klBeta', 'saveSteps'),
    ).toEqual(['linear', 0, 'dapo', 'group', 0, 500]);
  });

  it('names keys and tasks that nobody knows, and never fails on them', () => {
    const text = changed(
      'datasets: {syllogism: {config: {num_premises: 2}}, chess_openings: {weight: 2}, game_of_24: {weight: 0.5}}',
      'colour: red',
      'fp16: false',
    );
    const { config, ignored, replaced } = read(text);
    expect(config.task).toBe('mixture');
    expect(config.mixture).toEqual([
      { task: 'syllogism', weight: 1, config: { format_weight: 1, developer_prompt: 'think' } },
      { task: 'puzzle24', weight: 0.5, config: { format_weight: 1, developer_prompt: 'think' } },
    ]);
    const reasons = new Map(ignored.map(({ path, reason }) => [path, reason]));
    expect(reasons.get('datasets.syllogism.config.num_premises')).toBe(
      'the task syllogism has no such setting',
    );
    expect(reasons.get('datasets.chess_openings')).toBe('there is no such task here');
    expect(reasons.get('colour')).toBe('nothing of that name is known here');
    expect(reasons.has('fp16')).toBe(true);
    expect(replaced[0]).toBe('Task: puzzle24 for game_of_24, which is another name of it.');
  });

  it('weighs the form by reward_weights', () => {
    const { config, replaced } = read(changed('reward_weights: [2, 0.5]'));
    expect(config.taskConfig.format_weight).toBe(0.25);
    expect(replaced.some((sentence) => sentence.startsWith('Reward: '))).toBe(true);
  });

  it('chooses the bundled model of the family, or of most of the weight, or one that reads several families', () => {
    const modelOf = (datasets: string) => valuesOf(changed(`datasets: {${datasets}}`), 'model');
    expect(modelOf('syllogism: {weight: 1}, knights_knaves: {weight: 3}')).toEqual(['starter-logic']);
    expect(modelOf('syllogism: {weight: 1}, chain_sum: {weight: 3}')).toEqual(['starter-gym']);
    expect(modelOf('sum_digits: {weight: 1}, products: {weight: 3}')).toEqual(['starter-arithmetic']);
    // No bundled model has learned dice; the one of its family comes next, not the preset's.
    expect(valuesOf(changed('datasets: {dice: {}}'), 'model')).toEqual(['starter-gym']);
  });
});

describe('TRL’s numbers', () => {
  it('count sequences: batch × accumulation / generations problems, one update', () => {
    const text = changed('per_device_train_batch_size: 8', 'gradient_accumulation_steps: 4');
    expect(
      valuesOf(text, 'problemsPerStep', 'rolloutsPerProblem', 'miniBatchSize', 'gradientAccumulation'),
    ).toEqual([8, 4, 0, 1]);
  });

  it('keep the micro-batches of BNPO, whose loss depends on them', () => {
    const text = changed('gradient_accumulation_steps: 2', 'loss_type: bnpo');
    expect(
      valuesOf(text, 'problemsPerStep', 'miniBatchSize', 'gradientAccumulation', 'lossReduction'),
    ).toEqual([6, 12, 2, 'minibatch_token_mean']);
  });

  // 4 micro-batches of 12 a generation, 2 an update, each generation used 3 times: 6 updates a step.
  it('count updates as steps', () => {
    const text = changed(
      'gradient_accumulation_steps: 2',
      'steps_per_generation: 4',
      'num_iterations: 3',
      'max_steps: 120',
      'fixed_eval_steps: 30',
      'save_steps: 60',
    );
    expect(
      valuesOf(text, 'problemsPerStep', 'miniBatchSize', 'gradientAccumulation', 'ppoEpochs', 'numSteps'),
    ).toEqual([12, 12, 2, 3, 20]);
    expect(valuesOf(text, 'evalEvery', 'saveSteps', 'warmupSteps')).toEqual([5, 10, 2]);
    expect(read(text).replaced.some((sentence) => sentence.includes('6 updates'))).toBe(true);
  });

  it('are epochs of the data where no steps are given', () => {
    const text = changed('max_steps: -1', 'num_train_epochs: 2', 'dataset_size: 100');
    // 200 problems, 3 a step.
    expect(valuesOf(text, 'numSteps')).toEqual([67]);
  });

  it.each([
    ['lr_scheduler_type: constant', 'constant', 0],
    ['lr_scheduler_type: linear', 'linear', 12],
    ['lr_scheduler_type: cosine', 'cosine', 12],
    ['lr_scheduler_type: cosine_with_min_lr', 'cosine', 12],
  ])('read the schedule %s', (line, schedule, warmup) => {
    expect(valuesOf(changed(line), 'lrSchedule', 'warmupSteps')).toEqual([schedule, warmup]);
  });

  it('let warmup_steps go before warmup_ratio', () => {
    const { config, ignored } = read(changed('warmup_steps: 4'));
    expect(config.warmupSteps).toBe(4);
    expect(ignored.map(({ path }) => path)).toContain('warmup_ratio');
  });

  it.each([
    ['scale_rewards: false', 'advantageScale', 'none'],
    ['scale_rewards: true', 'advantageScale', 'group'],
    ['scale_rewards: batch', 'advantageScale', 'batch'],
    ['beta: 0.04', 'klBeta', 0.04],
    ['epsilon: 0.3', 'clipHigh', 0.3],
    ['epsilon_high: 0.28', 'clipHigh', 0.28],
    ['epsilon_high: 0.28', 'clipLow', 0.2],
    ['delta: 3', 'clipDelta', 3],
    ['loss_type: cispo', 'clipHigh', 0.2],
    ['importance_sampling_level: sequence', 'ratioLevel', 'sequence'],
    ['mask_truncated_completions: yes', 'maskTruncated', true],
    ['loss_type: dr_grpo', 'lossReduction', 'max_length'],
    ['loss_type: grpo', 'lossReduction', 'sequence_mean'],
    ['sync_ref_model: true', 'klReference', 'past'],
    ['top_k: -1', 'topK', 0],
    ['adam_epsilon: 1e-7', 'adamEps', 1e-7],
    ['max_grad_norm: 0.2', 'clipNorm', 0.2],
    ['save_strategy: "no"', 'saveSteps', 0],
    ['eval_temperature: 0.2', 'evalTemperature', 0.2],
    ['max_completion_length: 380', 'maxTokens', 380],
    ['group_size: 2', 'rolloutsPerProblem', 2],
  ] as const)('read %s', (line, key, value) => {
    expect(valuesOf(changed(line), key)).toEqual([value]);
  });

  it('read LoRA where use_peft is on', () => {
    const lora = ['lora_r: 64', 'lora_alpha: 128', 'lora_dropout: 0.05'];
    const off = read(changed('use_peft: false', ...lora));
    expect(off.config.loraRank).toBe(0);
    expect(off.ignored.filter(({ reason }) => reason === 'use_peft is not on')).toHaveLength(3);
    const on = read(changed('use_peft: true', ...lora));
    expect(on.config).toMatchObject({ loraRank: 64, loraAlpha: 128, loraTargets: ['q_proj', 'v_proj'] });
    expect(
      read(changed('use_peft: true', 'lora_target_modules: all-linear')).config.loraTargets,
    ).toHaveLength(7);
    expect(read(changed('use_peft: true', 'lora_target_modules: [k_proj, embed_tokens]'))).toMatchObject({
      config: { loraTargets: ['k_proj'] },
    });
  });

  it.each([
    ['num_generations: 1', /^line \d+: num_generations: 1 is too small; choose 2 to 256\.$/],
    [
      'num_generations: 5',
      /^line \d+: per_device_train_batch_size: 12 makes 12 sequences.*num_generations, 5;/,
    ],
    [
      'learning_rate: fast',
      /^line \d+: learning_rate \(learningRate\): "fast" is not a number; choose 0 to 1\.$/,
    ],
    ['temperature: -1', /^line \d+: temperature: -1 is too small/],
    ['loss_type: saapo', /^line \d+: loss_type: "saapo" does not exist; choose one of: dapo, grpo/],
    ['scale_rewards: sometimes', /scale_rewards \(advantageScale\): "sometimes" does not exist/],
    [
      'datasets: {syllogism: {config: {invalid_ratio: 7}}}',
      /datasets\.syllogism\.config\.invalid_ratio: 7 is too large; choose 0 to 1\.$/,
    ],
    [
      'datasets: {syllogism: {config: {allow_all: maybe}}}',
      /datasets\.syllogism\.config\.allow_all: "maybe" is not a yes or no/,
    ],
    ['datasets: {chess_openings: {}}', /datasets: \["chess_openings"\] name no task/],
    ['datasets: {sylogism: {}}', /datasets: \["sylogism"\] name no task .* \(syllogism may be meant\); name/],
    [
      'generation_batch_size: 24\nsteps_per_generation: 2',
      /generation_batch_size: 24 and steps_per_generation, 2, both say/,
    ],
    ['datasets: {syllogism: {weight: -1}}', /datasets\.syllogism\.weight: -1 is too small/],
    [
      'steps_per_generation: 3\ngradient_accumulation_steps: 2',
      /steps_per_generation: 3 does not make whole updates/,
    ],
    ['delta: 1.1', /^line \d+: delta \(clipDelta\): 1\.1 does not exceed/],
    ['lr_scheduler_type: wavy', /lr_scheduler_type: "wavy" does not exist/],
    [
      'gradient_checkpointing: true\nsteps_per_generation: some',
      /steps_per_generation: "some" is not a whole number/,
    ],
  ])('are refused with line, path, value and rule: %s', (line, message) => {
    const errors = refused(changed(...line.split('\n')));
    expect(errors[0]).toMatch(message);
  });
});

describe('a key that nobody knows', () => {
  it('is named with the one that may be meant', () => {
    const { ignored } = read(changed('learning_rat: 1e-4', 'colour: red', 'datasets: {gcd: {}, lmc: {}}'));
    expect(ignored.filter(({ reason }) => /known here|no such task/.test(reason))).toEqual([
      { path: 'datasets.lmc', value: {}, reason: 'there is no such task here' },
      {
        path: 'learning_rat',
        value: 1e-4,
        reason: 'nothing of that name is known here; perhaps learning_rate is meant',
      },
      { path: 'colour', value: 'red', reason: 'nothing of that name is known here' },
    ]);
  });

  it('may be a setting of this project: its number of steps is no number of epochs', () => {
    const text = 'datasets: {gcd: {}}\nmodel_name_or_path: a/b\nnum_steps: 10\n';
    const { config, replaced } = read(text);
    expect(config.numSteps).toBe(10);
    expect(replaced.join()).not.toContain('epochs');
  });
});

describe('a part of a file', () => {
  it('changes the preset of the first settings', () => {
    const tasks = read(`
datasets:
  basic_arithmetic:
    weight: 1.0
    config:
      min_digits: 1
      max_digits: 2
      operators: ["+", "-"]
  syllogism:
    weight: 1.0
    config:
      num_premises: 2
`);
    const preset = defaultConfig('syllogism', 'rl-for-real-grpo');
    expect(tasks.config).toMatchObject({
      task: 'mixture',
      mixture: [
        {
          task: 'basic_arithmetic',
          weight: 1,
          config: { min_digits: 1, max_digits: 2, operators: ['+', '-'] },
        },
        { task: 'syllogism', weight: 1, config: {} },
      ],
      numSteps: preset.numSteps,
      warmupSteps: preset.warmupSteps,
      temperature: preset.temperature,
    });
    expect(tasks.ignored.map(({ path }) => path)).toEqual(['datasets.syllogism.config.num_premises']);

    expect(tasks.replaced).toContain('Model: starter-gym instead of Qwen/Qwen2.5-1.5B-Instruct.');

    expect(read('attn_implementation: eager')).toMatchObject({
      config: preset,
      ignored: [{ path: 'attn_implementation', value: 'eager' }],
    });
    expect(read('per_device_train_batch_size: 4\ngradient_accumulation_steps: 8').config).toEqual({
      ...preset,
      problemsPerStep: 8,
    });
  });

  it('is read as this project’s own where it has aliases alone', () => {
    expect(read('fixed_eval_steps: 100\neval_num_samples: 20\n').config).toMatchObject({
      preset: 'default',
      evalEvery: 100,
      evalSamples: 20,
    });
  });
});
