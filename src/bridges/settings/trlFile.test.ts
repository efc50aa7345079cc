/** Files for `trl grpo --config`, which know nothing of RL for Real's keys. */
import { describe, expect, it } from 'vitest';
import { readSettings, type ReadOptions } from './read.ts';
import type { SettingsRead } from '@rl-playground/run/settings/files';
import { defaultConfig } from '@rl-playground/run/settings';

function read(text: string, options: ReadOptions = {}): SettingsRead {
  const result = readSettings(text, options);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

const PLAIN =
  'model_name_or_path: Qwen/Qwen2.5-0.5B\ndataset_name: some/rows\nreward_funcs: accuracy_reward\n';

const TRLS_OWN = {
  loss: 'dapo',
  lossReduction: 'batch_token_mean',
  klBiasCorrection: true,
  temperature: 1,
  problemsPerStep: 1,
  rolloutsPerProblem: 8,
  lrSchedule: 'linear',
  warmupSteps: 0,
  learningRate: 1e-6,
  saveSteps: 500,
};

describe('a file of TRL’s trainer', () => {
  it.each([
    ['a data set and rewards', PLAIN],
    ['rewards alone', 'model_name_or_path: a/b\nreward_funcs: [accuracy_reward, think_format_reward]\n'],
    ['a data set alone', 'model_name_or_path: a/b\ndataset_name: some/rows\n'],
    ['a mixture of data sets', 'model_name_or_path: a/b\ndatasets:\n  - path: some/rows\n    split: train\n'],
  ])('is read over TRL’s own values: %s', (_, text) => {
    const { config, replaced } = read(text);
    expect(config).toMatchObject({ ...TRLS_OWN, task: 'syllogism', maxTokens: 422 });
    expect(replaced[0]).toMatch(
      /^Missing settings were filled from the defaults of TRL’s GRPO trainer; the task is syllogism, unless/,
    );
  });

  it('has TRL’s answer length with a model that has room for it', () => {
    expect(read(PLAIN, { model: 'Qwen/Qwen2.5-0.5B' }).config.maxTokens).toBe(512);
  });

  it('has every key named that decides nothing here', () => {
    const { ignored } = read(`${PLAIN}dataset_train_split: train\n`);
    expect(ignored.map(({ path }) => path)).toEqual(['dataset_name', 'reward_funcs', 'dataset_train_split']);
    const weighed = read(`${PLAIN}reward_weights: [0, 1, 0.5]\n`);
    expect(weighed.ignored.map(({ path }) => path)).toContain('reward_weights');
    expect(weighed.config.taskConfig).toEqual(read(PLAIN).config.taskConfig);
    const list = read('model_name_or_path: a/b\ndatasets: [{path: some/rows}]\n').ignored;
    expect(list).toEqual([
      { path: 'datasets', value: [{ path: 'some/rows' }], reason: 'rows of a data set come by --data' },
    ]);
  });

  it('has as many steps as it says, and else those of the preset, with a note', () => {
    const silent = read(PLAIN);
    expect(silent.config.numSteps).toBe(defaultConfig('syllogism', 'rl-for-real-grpo').numSteps);
    expect(silent.replaced.some((each) => /^Steps: 150, unless .*3 epochs of the data set/.test(each))).toBe(
      true,
    );
    const stated = read(`${PLAIN}max_steps: 12\n`);
    expect(stated.config.numSteps).toBe(12);
    expect(stated.replaced.some((each) => each.startsWith('Steps: '))).toBe(false);
    const epochs = read(`${PLAIN}num_train_epochs: 2\ndataset_size: 100\n`);
    expect(epochs.config.numSteps).toBe(200);
  });

  it('may name a task of this project, whose settings and model it then has', () => {
    const { config, replaced } = read(`${PLAIN}task: chain_sum\n`);
    const preset = defaultConfig('chain_sum', 'rl-for-real-grpo');
    expect(config).toMatchObject({ ...TRLS_OWN, task: 'chain_sum', taskConfig: preset.taskConfig });
    expect(config.model).toBe('starter-gym');
    expect(replaced[0]).not.toContain('syllogism');
  });
});

describe('recipes of TRL’s paper index', () => {
  const RECIPE =
    'model_name_or_path: a/b\nreward_funcs: accuracy_reward\nmax_steps: 10\nper_device_train_batch_size: 4\n';

  it('may clip at an ε above 1, which bounds nothing below', () => {
    const { config, replaced } = read(`${RECIPE}num_generations: 4\nloss_type: grpo\nepsilon: 10.0\n`);
    expect(config).toMatchObject({ clipMeaning: 'epsilon', clipLow: 1, clipHigh: 10 });
    expect(replaced).toContain(
      'Clipping: 1 below instead of epsilon 10; no ratio is below 0, so neither of them clips anything there.',
    );
  });

  // 4 × 16 sequences a generation, 4 × 128 an update.
  it('may generate several times for one update: DeepSeekMath', () => {
    const { config, replaced } = read(
      `${RECIPE}loss_type: grpo\nbeta: 0.001\nepsilon: 10.0\nnum_generations: 16\nmax_completion_length: 32768\nsteps_per_generation: 16\ngradient_accumulation_steps: 128\n`,
    );
    expect(config).toMatchObject({
      problemsPerStep: 32,
      rolloutsPerProblem: 16,
      miniBatchSize: 0,
      gradientAccumulation: 1,
      numSteps: 10,
      klBeta: 0.001,
      klBiasCorrection: true,
    });
    expect(replaced).toContain(
      'Batch: 512 answers an update, which TRL samples in 8 generations under the same weights and this page in one.',
    );
  });

  it('are told what is taken over another batch: DAPO, and σ of the batch', () => {
    const { config, replaced } = read(
      `${RECIPE}loss_type: dapo\nscale_rewards: batch\nnum_generations: 8\ntop_p: 0.99\ntop_k: 100\ntemperature: 0.99\ngradient_accumulation_steps: 32\nsteps_per_generation: 8\n`,
    );
    expect(config).toMatchObject({
      problemsPerStep: 16,
      rolloutsPerProblem: 8,
      lossReduction: 'batch_token_mean',
    });
    expect(replaced.find((each) => each.startsWith('Batch: 128 answers an update, '))).toMatch(
      /4 generations .* There the tokens that dapo divides by and the standard deviation of the batch are of each generation by itself/,
    );
    expect(replaced.some((each) => each.startsWith('Steps: '))).toBe(false);
  });

  it('keep BNPO’s micro-batches', () => {
    const { config } = read(
      `${RECIPE}loss_type: bnpo\nnum_generations: 4\ngradient_accumulation_steps: 4\nsteps_per_generation: 2\n`,
    );
    expect(config).toMatchObject({
      problemsPerStep: 4,
      miniBatchSize: 4,
      gradientAccumulation: 4,
      ppoEpochs: 1,
    });
  });

  it.each([
    [
      'steps_per_generation: 3\ngradient_accumulation_steps: 4',
      /steps_per_generation: 3 does not make whole updates/,
    ],
    [
      'steps_per_generation: 2\ngradient_accumulation_steps: 4\nnum_iterations: 2',
      /steps_per_generation: 2 does not make whole updates of 4 × 4 sequences; choose a multiple\.$/,
    ],
    [
      'steps_per_generation: 1\ngradient_accumulation_steps: 4\nnum_generations: 8',
      /4 makes 4 sequences a step, which is no multiple of num_generations, 8/,
    ],
  ])('are refused where the batches do not fit: %s', (lines, message) => {
    const groups = lines.includes('num_generations') ? '' : 'num_generations: 4\n';
    const result = readSettings(`${RECIPE}${groups}${lines}\n`);
    expect(result.ok ? [] : result.errors).toEqual([expect.stringMatching(message)]);
  });
});

describe('a part of a file', () => {
  it('is read over the preset', () => {
    const { config, replaced } = read('model_name_or_path: a/b\nper_device_train_batch_size: 8\n');
    expect(config).toMatchObject({ temperature: 0.6, rolloutsPerProblem: 4, warmupSteps: 15 });
    expect(replaced[0]).toContain('from the preset rl-for-real-grpo');
  });

  it('may name a task, too', () => {
    const { config } = read('task: gsm8k\nper_device_train_batch_size: 8\n');
    expect(config).toMatchObject({ task: 'gsm8k', taskConfig: {}, preset: 'rl-for-real-grpo' });
  });
});

describe('the divergence from the reference', () => {
  const NOTE = /^KL: the estimate of each token is weighed by the ratio/;
  it.each([
    ['a whole file', `${PLAIN}beta: 0.04\n`, true],
    ['a part of one', 'per_device_train_batch_size: 8\nbeta: 0.04\n', true],
    ['one that says no', `${PLAIN}beta: 0.04\nuse_bias_correction_kl: false\n`, false],
    [
      'a part that says no',
      'num_generations: 4\nbeta: 0.04\nuse_bias_correction_kl: false\nbf16: true\n',
      false,
    ],
  ])('is weighed by the ratio unless the file says no: %s', (_, text, weighed) => {
    const { config, replaced } = read(text);
    expect(config).toMatchObject({ klBeta: 0.04, klBiasCorrection: weighed });
    expect(replaced.some((each) => NOTE.test(each))).toBe(weighed);
  });
});

describe('a key that means something else in a script of TRL’s', () => {
  it('is named: a task that there is not here', () => {
    const { config, ignored } = read(
      'task: workplace\nnum_generations: 16\nper_device_train_batch_size: 16\n',
    );
    expect(config.task).toBe('syllogism');
    expect(ignored).toEqual([{ path: 'task', value: 'workplace', reason: 'there is no such task here' }]);
  });

  it('is told from a slip of the pen', () => {
    const { ignored } = read('task: chain_sums\nper_device_train_batch_size: 8\n');
    expect(ignored[0]?.reason).toBe('there is no such task here; perhaps chain_sum is meant');
  });
});

describe('a configuration that a script of TRL’s reads itself', () => {
  /** TRL's example on NeMo Gym, shortened. */
  const SCRIPT = `
model_name: "Qwen/Qwen2.5-1.5B-Instruct"
dataset_path: "rows/train.jsonl"
eval_dataset_path: "rows/validation.jsonl"
task: "workplace"
report_to: "wandb"
project_name: "trl-nemo-gym"
max_steps: 1000
eval_strategy: "steps"
eval_steps: 10
num_generations: 8
per_device_train_batch_size: 1
gradient_accumulation_steps: 32
`;

  it('is read over TRL’s own values, and its model is named and not fetched', () => {
    const { config, replaced, ignored, tracking } = read(SCRIPT);
    expect(config).toMatchObject({
      ...TRLS_OWN,
      problemsPerStep: 4,
      model: 'starter-logic',
      numSteps: 1000,
      evalEvery: 10,
    });
    expect(replaced).toContain('Model: starter-logic instead of Qwen/Qwen2.5-1.5B-Instruct.');
    expect(ignored.map(({ path }) => path)).toEqual(['dataset_path', 'eval_dataset_path', 'task']);
    expect(tracking).toEqual([{ target: 'wandb', place: { project: 'trl-nemo-gym' } }]);
  });

  it('has the model that is asked for beside it, or a bundled one that it names', () => {
    const asked = read(SCRIPT, { model: 'some/model' });
    expect(asked.replaced.find((each) => each.startsWith('Model'))).toBe(
      'Model: some/model instead of Qwen/Qwen2.5-1.5B-Instruct.',
    );
    expect(read('model_name: starter-gym\nper_device_train_batch_size: 8\n').config.model).toBe(
      'starter-gym',
    );
  });
});

it('what TRL’s command line gives to accelerate and to the environment is named', () => {
  const { ignored } = read(
    `${PLAIN}num_processes: 4\naccelerate_config: zero2\nmixed_precision: bf16\nenv:\n  CUDA_VISIBLE_DEVICES: 0\n`,
  );
  expect(ignored.slice(2).map(({ path, reason }) => [path, reason])).toEqual([
    ['num_processes', 'there is one trainer, in the page'],
    ['accelerate_config', 'there is one trainer, in the page'],
    ['mixed_precision', 'weights are kept in 32 bits; generatorPrecision says how they travel'],
    ['env.CUDA_VISIBLE_DEVICES', 'a run here reads no environment variables'],
  ]);
});

describe('evaluations on the way', () => {
  const LONG = `${PLAIN}max_steps: 200\n`;
  it.each([
    ['eval_strategy: steps\neval_steps: 20', 20, []],
    ['eval_strategy: steps\neval_steps: 0.25', 50, []],
    // Two updates to a batch.
    ['eval_strategy: steps\neval_steps: 20\nsteps_per_generation: 2', 10, []],
    ['eval_strategy: "no"\neval_steps: 20', 0, ['eval_steps']],
    ['eval_strategy: steps\neval_steps: 20\nfixed_eval_steps: 40', 40, ['eval_strategy', 'eval_steps']],
    ['eval_strategy: epoch', 50, ['eval_strategy']],
    ['eval_steps: 20', 50, ['eval_steps']],
  ])('%s', (lines, evalEvery, named) => {
    const { config, ignored } = read(`${LONG}${lines}\n`);
    expect(config.evalEvery).toBe(evalEvery);
    expect(ignored.map(({ path }) => path).filter((path) => path.startsWith('eval'))).toEqual(named);
  });
});
