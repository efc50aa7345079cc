import { describe, expect, test } from 'vitest';
import {
  textOfValue,
  ALIASES,
  snakeName,
  defaultConfig,
  PRESETS,
  FIELD_KEYS,
  PRESET_NAMES,
  type PresetName,
} from '@rl-playground/run/settings';
import { settingsHelp } from './trainArguments.ts';
import { accepted, ALONE, refused } from './testing/trainWords.ts';
test('defaults: sum_digits, 20 steps, 2 generators, 20 evaluation samples, seed 0', () => {
  const { config, ...rest } = accepted();
  expect(config).toMatchObject({
    task: 'sum_digits',
    preset: 'default',
    numSteps: 20,
    numGenerators: 2,
    evalSamples: 20,
    seed: 0,
  });
  expect(rest).toEqual({
    adapter: null,
    backend: null,
    data: { data: [] },
    hub: {},
    verbose: false,
    json: null,
    out: null,
    ...ALONE,
    full: false,
    notes: [],
    loraStated: false,
  });
});

test('every option reaches its place', () => {
  const words =
    '--task reverse_digits --num-steps 7 --num-generators 4 --eval-samples 33 --verbose --model tiny --backend wasm ' +
    '--adapter org/adapter --seed 5 --json r.json --out runs/a --full --preset monarch-digits --set learningRate=0.001 --set evalEvery=3';
  const { config, ...rest } = accepted(...words.split(' '));
  expect(config).toMatchObject({
    task: 'reverse_digits',
    preset: 'monarch-digits',
    loss: 'reinforce',
    numSteps: 7,
    numGenerators: 4,
    evalSamples: 33,
    model: 'tiny',
    seed: 5,
    learningRate: 0.001,
    evalEvery: 3,
  });
  expect(rest).toEqual({
    adapter: 'org/adapter',
    backend: 'wasm',
    data: { data: [] },
    hub: {},
    verbose: true,
    json: 'r.json',
    out: 'runs/a',
    ...ALONE,
    full: true,
    notes: ['Model: tiny instead of Qwen/Qwen2.5-0.5B-Instruct.'],
    loraStated: false,
  });
});

test('a preset made for one task brings it along, unless another one is named', () => {
  expect(accepted('--preset', 'rlvr-test').config).toMatchObject({
    task: 'rpn_arithmetic',
    preset: 'rlvr-test',
    model: 'rlvr-scratch',
    problemsPerStep: 4,
  });
  expect(accepted('--preset', 'rlvr-test', '--task', 'sum_digits').config).toMatchObject({
    task: 'sum_digits',
    model: 'starter',
  });
});

describe('bad input is refused with exit code 2, naming the option and what was found', () => {
  test.each([
    [
      ['--task', 'chess'],
      ['--task', 'chess', 'sum_digits', 'reverse_digits'],
    ],
    [
      ['--preset', 'best'],
      ['--preset', 'best', 'monarch-digits'],
    ],
    [
      ['--backend', 'cuda'],
      ['--backend', 'cuda', 'webgpu', 'wasm'],
    ],
    [
      ['--num-generators', '0'],
      ['--num-generators', '0'],
    ],
    [
      ['--num-generators', '1000000'],
      ['--num-generators', '1000000', '64'],
    ],
    [
      ['--num-steps', 'many'],
      ['--num-steps', 'many'],
    ],
    [
      ['--num-steps', '1.5'],
      ['--num-steps', '1.5'],
    ],
    [['--num-steps', ''], ['--num-steps']],
    [
      ['--eval-samples', '-3'],
      ['--eval-samples', '-3'],
    ],
    [
      ['--seed', 'NaN'],
      ['--seed', 'NaN'],
    ],
    [
      ['--set', 'temperature'],
      ['temperature', 'setting=value'],
    ],
    [
      ['--set', 'temprature=1'],
      ['temprature', 'temperature'],
    ],
    [
      ['--set', 'temperature=hot'],
      ['temperature', 'hot'],
    ],
    [['--steps', '3'], ['--steps']],
    [['--json'], ['--json']],
    [['extra'], ['argument']],
  ])('%j', (words, fragments) => {
    const { text, exitCode } = refused(...words);
    expect(exitCode).toBe(2);
    for (const fragment of fragments) expect(text).toContain(fragment);
  });
});
test('a setting that has no effect under the others is named', () => {
  expect(accepted('max_steps_off_policy=2', 'dro_beta=0.1', 'top_p=0.9').notes).toEqual([
    'max_steps_off_policy (maxStepsOffPolicy) has no effect under the other settings; it needs schedule "async".',
    'dro_beta (droBeta) has no effect under the other settings; it needs loss "dro".',
  ]);
  expect(accepted('max_steps_off_policy=2', 'schedule=async').notes).toEqual([]);
  expect(accepted('one_problem_per_generator=true', 'batch_size=8').notes).toEqual([
    'batch_size (problemsPerStep) has no effect under the other settings; it needs oneProblemPerGenerator false.',
  ]);
});

describe('presets from the command line', () => {
  const SCRATCH =
    'Model: rlvr-scratch instead of a decoder of 203,904 weights (one layer, 128 channels, ReLU).';
  const TINKER = [
    'Model: starter-arithmetic instead of meta-llama/Llama-3.1-8B.',
    'Task: tinker_arithmetic instead of GSM8K.',
  ];
  const SAID: Partial<Record<PresetName, readonly string[]>> = {
    'monarch-digits': [
      'oneProblemPerGenerator is false instead of true: batch_size (problemsPerStep) 4 is given, and the number of generators would set it.',
      'Model: starter instead of Qwen/Qwen2.5-0.5B-Instruct.',
    ],
    'tinker-rl-basic': TINKER,
    'tinker-rl-loop': TINKER,
    'rl-for-real-grpo': ['Model: starter-logic instead of Qwen/Qwen2.5-1.5B-Instruct.'],
    'rlvr-small': [SCRATCH],
    'rlvr-large': [SCRATCH],
    'rlvr-test': [SCRATCH],
  };

  test.each(PRESET_NAMES)('%s takes a small batch of short answers, and says what it replaces', (preset) => {
    const words = `--preset ${preset} --num-steps 2 batch_size=4 group_size=4 max_tokens=32`;
    const { config, notes } = accepted(...words.split(' '));
    expect(config).toEqual({
      ...defaultConfig(PRESETS[preset].task ?? 'sum_digits', preset),
      numSteps: 2,
      problemsPerStep: 4,
      rolloutsPerProblem: 4,
      maxTokens: 32,
      oneProblemPerGenerator: false,
    });
    expect(notes).toEqual(SAID[preset] ?? []);
  });

  test('keep their own number of steps, seed and evaluation', () => {
    expect(accepted('--preset', 'rl-for-real-grpo').config).toMatchObject({
      numSteps: 150,
      evalSamples: 30,
      seed: 42,
    });
    expect(accepted('preset=rlvr-large').config).toMatchObject({ task: 'rpn_arithmetic', numSteps: 2500 });
  });

  test('have mini-batches that go along with another batch', () => {
    const { config, notes } = accepted('--preset', 'rlvr-large', 'batch_size=6');
    expect(config).toMatchObject({ problemsPerStep: 6, miniBatchSize: 6, gradientAccumulation: 1 });
    expect(notes.filter((note) => note.includes('instead of'))).toHaveLength(3);
    expect(refused('--preset', 'rlvr-large', 'batch_size=6', 'mini_batch_size=4').text).toMatch(
      /^mini_batch_size \(miniBatchSize\): 4 does not divide/,
    );
  });
});

describe('setting=value', () => {
  test.each(FIELD_KEYS)('%s is reached by either name', (key) => {
    const value = textOfValue(defaultConfig('sum_digits')[key]);
    for (const name of [key, snakeName(key)]) {
      const { config } = accepted(`${name}=${value}`);
      expect(textOfValue(config[key])).toBe(value);
    }
  });

  test('goes before the options, and names of other systems count', () => {
    const { config } = accepted(
      '--num-steps',
      '7',
      'num_steps=9',
      'learning_rate=1e-5',
      'loss_fn=ppo',
      'beta=0.1',
    );
    expect(config).toMatchObject({ numSteps: 9, learningRate: 1e-5, loss: 'ppo', klBeta: 0.1 });
    expect(accepted('remove_constant_reward_groups=True').config.removeConstantGroups).toBe(true);
  });

  test('reaches the settings of the task, one by one or all at once', () => {
    const own = defaultConfig('chain_sum').taskConfig;
    expect(accepted('task=chain_sum', 'task_config.max_terms=3').config).toMatchObject({
      task: 'chain_sum',
      model: 'starter-gym',
      taskConfig: { ...own, max_terms: 3 },
    });
    expect(accepted('--task', 'chain_sum', 'task_config={max_terms: 3}').config.taskConfig).toEqual({
      max_terms: 3,
    });
    expect(refused('task=chain_sum', 'task_config.max_terms=99').text).toBe(
      'task_config.max_terms (taskConfig): max_terms: 99 is too large; choose 2 to 20.',
    );
  });

  test('gives a loss what it needs where nothing else is asked for', () => {
    expect(accepted('loss=dr_grpo')).toMatchObject({
      config: { loss: 'dr_grpo', lossReduction: 'auto' },
      notes: [expect.stringContaining('lossReduction is "auto" instead of "token_mean"')],
    });
    expect(accepted('loss=cispo').config.clipHigh).toBe(5);
    expect(accepted('loss=cispo', 'epsilon_high=2').config.clipHigh).toBe(2);
    expect(accepted('--preset', 'tinker-rl-basic', 'loss=cispo').config.clipHigh).toBe(1.2);
    expect(accepted('--preset', 'monarch-digits', 'loss=dapo').config).toMatchObject({
      baseline: 'group',
      rolloutsPerProblem: 2,
      lossReduction: 'auto',
    });
    expect(refused('loss=dapo', 'baseline=none').text).toMatch(/^baseline: "none" does not go with/);
    expect(refused('loss=dr_grpo', 'loss_reduction=sum').text).toMatch(
      /^loss_reduction \(lossReduction\): "sum"/,
    );
  });

  test('reads keys of RLVR, and names those without a meaning', () => {
    const words = ['training.learning_rate=1e-3', 'vf_coef=0.2', 'cliprange_value=0.3', 'log_every=2'];
    expect(accepted('--preset', 'rlvr-test', ...words)).toMatchObject({
      config: { learningRate: 1e-3, problemsPerStep: 4, valueCoef: 0.2, valueClip: 0.3 },
      notes: [expect.stringMatching(/^Ignored .*log_every \(2\): /), expect.stringMatching(/^Model: /)],
    });
    expect(accepted('--preset', 'monarch-digits', 'log_every=2').config.oneProblemPerGenerator).toBe(true);
  });

  test.each([
    [['temprature=1'], /^temprature: there is no such setting for the value 1; did you mean temperature\?$/],
    [['group_size=4', 'num_generations=4'], /^group_size and num_generations both set rolloutsPerProblem/],
    [['seed=1', '--set', 'seed=1'], /^seed is given twice/],
    [['max_tokens=0'], /^max_tokens \(maxTokens\): 0 is too few; choose 1 to 4096\.$/],
    [['schedule=stream', 'batch_size=6'], /^batch_size \(problemsPerStep\): 6 .* multiple of 4\.$/],
    [['task_config.max_terms=1', 'task_config.max_terms=2'], /given twice/],
  ])('is refused by name: %j', (words, message) => {
    const { text, exitCode } = refused(...words);
    expect(exitCode).toBe(2);
    expect(text).toMatch(message);
  });
});

test('--help lists every option, and every setting by each of its names with what it may be, and exits with 0', () => {
  const { text, exitCode } = refused('--help');
  expect(exitCode).toBe(0);
  for (const word of ['--task', '--num-steps', '--num-generators', '--eval-samples', '--verbose', '--model'])
    expect(text).toContain(word);
  for (const word of ['--backend', '--seed', '--json', '--out', '--preset', 'learningRate', 'klBeta'])
    expect(text).toContain(word);
  const lines = settingsHelp().split('\n');
  expect(lines.map((line) => /^ {2}(\w+)/.exec(line)?.[1])).toEqual(FIELD_KEYS.map(snakeName));
  for (const [alias, { key }] of Object.entries(ALIASES)) {
    const line = lines.find((each) => each.startsWith(`  ${snakeName(key)}`)) ?? '';
    expect(/\((.*?)\)/.exec(line)?.[1]?.split(', ')).toContain(alias);
  }
  expect(lines).toContain('  seed: Seed [whole, 0 to 4294967295]');
  expect(lines).toContain('  kl_beta (klBeta, beta): KL in the loss β [0 to 10]');
  expect(lines).toContain('  compute_post_kl (computePostKl): Measure KL of the update [true, false]');
  expect(lines).toContain('  mixture: Mixture [as in []]');
});

describe('options that name a setting', () => {
  test('stand for setting=value, with underscores or hyphens', () => {
    const { config } = accepted(
      '--preset',
      'rl-for-real-grpo',
      '--max_steps',
      '40',
      '--learning-rate=2e-6',
      '--num_generations',
      '2',
      '--temperature',
      '0.9',
      '--mask_truncated_completions',
      '--beta',
      '0.04',
    );
    expect(config).toMatchObject({
      numSteps: 40,
      learningRate: 2e-6,
      rolloutsPerProblem: 2,
      temperature: 0.9,
      maskTruncated: true,
      klBeta: 0.04,
    });
    expect(accepted('--log_every', '2').notes).toContainEqual(
      expect.stringMatching(/^Ignored .*log_every \(2\): /),
    );
    expect(refused('--report_to', 'none').text).toContain("unknown option '--report_to'");
    expect(refused('--learning_rate').text).toBe(
      'learning_rate (learningRate): "true" is not a number; choose 0 to 1.',
    );
    expect(refused('--learning_rat', '1').text).toContain("unknown option '--learning_rat'");
    expect(refused('--max_steps', '4', 'num_steps=5').text).toMatch(/both set numSteps/);
  });

  test('of Tinker reach its nested settings, and name those without a meaning', () => {
    const ppo = accepted(
      '--preset',
      'tinker-rl-basic',
      'loss_fn=ppo',
      'loss_fn_config.clip_low_threshold=0.9',
      'async_config.max_steps_off_policy=2',
      'log_path=/somewhere',
      'kl_reference_config.name=x',
    );
    expect(ppo.config).toMatchObject({
      loss: 'ppo',
      clipMeaning: 'ratio_bounds',
      clipLow: 0.9,
      clipHigh: 1.2,
      schedule: 'async',
      maxStepsOffPolicy: 2,
    });
    expect(ppo.notes.filter((note) => note.startsWith('Ignored '))).toEqual([
      expect.stringMatching(/^Ignored log_path \("\/somewhere"\): /),
      expect.stringMatching(/^Ignored kl_reference_config\.name \("x"\): /),
    ]);
    const whole = accepted(
      'loss_fn=cispo',
      'loss_fn_config={"clip_low_threshold": 0.0, "clip_high_threshold": 4.0}',
      'stream_minibatch_config={groups_per_batch: 8, num_minibatches: 2}',
      'async_config=null',
    );
    expect(whole.config).toMatchObject({
      loss: 'cispo',
      clipMeaning: 'ratio_bounds',
      clipLow: 0,
      clipHigh: 4,
      schedule: 'stream',
      problemsPerStep: 8,
      numMinibatches: 2,
    });
    expect(refused('loss_fn_config={gamma: 1}').text).toMatch(
      /^loss_fn_config\.gamma: there is no such setting/,
    );
    expect(
      refused('async_config.max_steps_off_policy=1', 'stream_minibatch_config.num_minibatches=2').text,
    ).toMatch(/need different values of schedule, "async" and "stream"/);
  });
});

test.each([
  ['loraRank=0', true],
  ['--set lora_rank=8', true],
  ['--set=loraRank=8', true],
  ['loraAlpha=8', false],
])('%s says how much is trained: %s', (words, stated) => {
  expect(accepted(...words.split(' ')).loraStated).toBe(stated);
});
