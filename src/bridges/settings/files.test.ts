import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { TASK_NAMES } from '@rl-playground/tasks/parts';
import {
  parseConfig,
  snakeName,
  defaultConfig,
  PRESETS,
  FIELD_KEYS,
  type RunConfig,
  PRESET_NAMES,
  SETTINGS_VERSION,
  versionNote,
} from '@rl-playground/run/settings';
import { readSettings } from './read.ts';
import { settingsAsYaml } from '@rl-playground/run/settings/files';

async function read(text: string) {
  const result = readSettings(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

async function refused(text: string) {
  const result = readSettings(text);
  if (result.ok) throw new Error('It was read.');
  return result.errors;
}

/** Every preset with its own task and with one that it is not made for; a mixture; settings of every type. */
const CONFIGS: readonly (readonly [string, RunConfig])[] = [
  ...PRESET_NAMES.map(
    (preset) => [preset, defaultConfig(PRESETS[preset].task ?? 'sum_digits', preset)] as const,
  ),
  ...PRESET_NAMES.map((preset) => [`${preset} on chain_sum`, defaultConfig('chain_sum', preset)] as const),
  [
    'a mixture',
    {
      ...defaultConfig('mixture'),
      mixture: [
        { task: 'chain_sum', weight: 1.5, config: { max_terms: 3, allow_negation: true } },
        { task: 'simple_equations', weight: 0.25, config: { operators_weights: [0.5, 0.5, 0] } },
      ],
    },
  ],
  [
    'words that YAML could take for something else',
    {
      ...defaultConfig('sum_digits'),
      warmStartData: 'null',
      model: '1e5',
      learningRate: 1e-12,
      loraTargets: ['q_proj'],
    },
  ],
];

describe('a settings file', () => {
  it.each(CONFIGS)('comes back as it went out: %s', async (_name, config) => {
    expect(parseConfig(config)).toMatchObject({ ok: true });
    for (const text of [settingsAsYaml(config), JSON.stringify(config)]) {
      const back = await read(text);
      expect(back.config).toEqual(config);
      expect([back.replaced, back.ignored]).toEqual([[], []]);
      expect(back.given.size).toBe(FIELD_KEYS.length);
    }
  });

  it('states every setting once by its snake_case name, in groups, below a comment', async () => {
    const text = settingsAsYaml(defaultConfig('reverse_digits', 'tinker-rl-loop'));
    expect(text).toMatch(/^# Settings of a run/);
    expect(text).toMatch(/\n\n# Loss\nloss: importance_sampling\n/);
    expect(text).toMatch(/\n\n# Optimizer\nlearning_rate: 0.00004\n/);
    expect(text).toContain('\ntask: reverse_digits\n');
    expect(text).toContain('\npreset: tinker-rl-loop\n');
    expect(text).toContain('lora_targets: [ q_proj,');
    const names = Object.keys(parse(text) as object);
    expect(names.toSorted()).toEqual(FIELD_KEYS.map(snakeName).toSorted());
  });

  it('may leave settings out: they are those of its task and preset', async () => {
    expect((await read('learning_rate: 1e-5\n')).config).toEqual({
      ...defaultConfig('sum_digits'),
      learningRate: 1e-5,
    });
    expect((await read('preset: rlvr-large\n')).config).toEqual(
      defaultConfig('rpn_arithmetic', 'rlvr-large'),
    );
    expect((await read('{"preset": "tinker-rl-basic", "task": "chain_sum"}')).config).toEqual(
      defaultConfig('chain_sum', 'tinker-rl-basic'),
    );
    const { config, given } = await read('task: chain_sum\ntask_config: {max_terms: 3}\ngroup_size: 4\n');
    expect(config).toEqual({
      ...defaultConfig('chain_sum'),
      taskConfig: { max_terms: 3 },
      rolloutsPerProblem: 4,
    });
    expect([...given]).toEqual(['task', 'taskConfig', 'rolloutsPerProblem']);
    const start = readSettings('seed: 3', { start: { task: 'chain_sum', preset: 'monarch-digits' } });
    expect(start).toMatchObject({
      ok: true,
      config: { ...defaultConfig('chain_sum', 'monarch-digits'), seed: 3 },
    });
  });

  it('takes what a change of the batch brings along from what it leaves out', async () => {
    const { config, replaced } = await read('preset: rlvr-large\nbatch_size: 6\n');
    expect(config).toMatchObject({ problemsPerStep: 6, miniBatchSize: 6, gradientAccumulation: 1 });
    expect(replaced).toEqual([
      'miniBatchSize is 6 instead of 8: a step has 6 answers.',
      'gradientAccumulation is 1 instead of 2: a step has 1 mini-batch.',
    ]);
  });

  it.each([
    ['learning_rate: fast', ['line 1: learning_rate (learningRate): "fast" is not a number; choose 0 to 1.']],
    ['seed: 1\n\nbatch_size: 0\n', ['line 3: batch_size (problemsPerStep): 0 is too few; choose 1 to 1024.']],
    ['{"topP": 2}', ['line 1: topP: 2 is too large; choose 0.01 to 1.']],
    ['seed: true', ['line 1: seed: true is not a whole number; choose 0 to 4294967295.']],
    [
      'task: mixture\nmixture:\n  - task: chain_sum\n    weight: -1\n    config: {}\n',
      ['line 4: mixture.0.weight: -1 is no weight; choose a number above 0.'],
    ],
    [
      'num_generations: 4\ngroup_size: 4',
      ['num_generations and group_size both set rolloutsPerProblem; give one of them.'],
    ],
    [
      'mini_batch_size: 25\n',
      [/^line 1: mini_batch_size \(miniBatchSize\): 25 does not divide .*192 answers/],
    ],
    [
      'temperature: 1\ncolour: red\n',
      [
        /^line 2: colour: there is no such setting for the value "red"; leave it out, or take one of the \d+ settings/,
      ],
    ],
    ['seed: 1\nseed: 2\n', [/^line 2: it is no YAML or JSON: Map keys must be unique/]],
    ['seed: [1', [/^line 1: it is no YAML or JSON: /]],
    ['- seed\n- 1\n', [/^The file holds \["seed",1\]; settings are lines of "name: value"/]],
    ['', [/^The file holds nothing; settings are lines of "name: value"/]],
    ['# a remark\n', [/^The file holds nothing/]],
    ['null', [/^The file holds null/]],
    ['42', [/^The file holds 42/]],
    [
      'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n',
      [/^The file can't be read/],
    ],
    [`seed: ${'1'.repeat(1_000_001)}`, [/1000007 characters/]],
    ['['.repeat(50_000), [/./]],
    [
      'seed: 1\ngroup-size: 4\n',
      ['line 2: group-size: there is no such setting for the value 4; did you mean group_size?'],
    ],
    [
      'max_length: 4\nnum_generation: 4\n',
      [
        /^line 1: max_length: .* leave it out, or take one of the \d+ settings/,
        /did you mean num_generations\?$/,
      ],
    ],
    ['"": 3', [/^line 1: "": there is no such setting for the value 3/]],
    ['a.b: 3', [/^line 1: a\.b: there is no such setting for the value 3/]],
    ['seed: &a [*a]\n', [/^line 1: seed\.0: its alias stands for a value that holds it/]],
    [
      'task: chain_sum\ntask_config: {__proto__: 3}',
      [/^line 2: task_config\.__proto__: there is no setting of that name/],
    ],
    [
      'task: chain_sum\ntask_config:\n  max_terms: null\n',
      [
        /^line 3: task_config\.max_terms \(taskConfig\.max_terms\): null is no value of a task's setting; write a number/,
      ],
    ],
    [
      'lora_targets: [q_proj, head]',
      [/^line 1: lora_targets\.1 \(loraTargets\.1\): "head" is no LoRA target; choose of: q_proj, /],
    ],
    [
      'lora_targets: [q_proj, q_proj]',
      [/^line 1: lora_targets \(loraTargets\): \["q_proj","q_proj"\] names a target twice/],
    ],
    ['mixture: [{task: gcd}]', ['line 1: mixture.0.weight: is missing; it needs a number above 0.']],
    [
      'mixture:\n  - {task: gcd, weight: 1}\n  - {task: sums, weight: 1}',
      [/^line 3: mixture\.1\.task: There is no task named "sums"/],
    ],
  ])('is refused with line, name, value and rule: %j', async (text, expected) => {
    const errors = await refused(text);
    for (const [i, one] of expected.entries())
      if (typeof one === 'string') expect(errors[i]).toBe(one);
      else expect(errors[i]).toMatch(one);
    for (const error of errors) expect(error.length).toBeLessThan(3000);
  });

  it('tells the first few of many names that mean nothing', async () => {
    const errors = await refused(Array.from({ length: 3000 }, (_, i) => `name_${i}: 1`).join('\n'));
    expect(errors).toHaveLength(11);
    expect(errors[9]).toMatch(/^line 10: name_9: there is no such setting/);
    expect(errors[10]).toBe('2990 more names are no settings.');
  });

  it('may write flags in the words of YAML 1.1', async () => {
    for (const [word, value] of [
      ['yes', true],
      ['On', true],
      ['TRUE', true],
      ['no', false],
      ['off', false],
    ] as const)
      expect((await read(`preset: tinker-rl-loop\nremove_constant_groups: ${word}\n`)).config).toMatchObject({
        removeConstantGroups: value,
      });
    expect((await read('curriculum: off')).config.curriculum).toBe('off');
    expect((await refused('mask_truncated: 1'))[0]).toMatch(
      /: 1 is not a yes or no; choose true or false\.$/,
    );
  });

  it('asks a mixture where it has the parts of one', async () => {
    const { config } = await read('mixture:\n  - task: gcd\n    weight: 2\nnum_steps: 3\n');
    expect(config).toEqual({
      ...defaultConfig('mixture'),
      mixture: [{ task: 'gcd', weight: 2, config: {} }],
      numSteps: 3,
    });
    const other = await read('task: gcd\nmixture: [{task: lcm, weight: 1, config: {}}]');
    expect(other.config.task).toBe('gcd');
  });

  it('is also the config.json of a run directory, and of a checkpoint', async () => {
    const config = { ...defaultConfig('chain_sum', 'monarch-digits'), seed: 8 };
    expect((await read(JSON.stringify(config))).config).toEqual(config);
    const ofModel = {
      model_type: 'llama',
      hidden_size: 64,
      rl_playground: { prompt_style: 'x', version: SETTINGS_VERSION, run: config },
    };
    expect(await read(JSON.stringify(ofModel, null, 1))).toMatchObject({ config, replaced: [] });
    const { passAtK, ...before } = config;
    const old = { model_type: 'llama', rl_playground: { version: 4, run: before } };
    expect(await read(JSON.stringify(old))).toMatchObject({
      config: { ...config, passAtK },
      replaced: [versionNote('The file', 4)],
    });
    const wrong = { model_type: 'llama', rl_playground: { run: { ...config, topP: 7 } } };
    expect((await refused(JSON.stringify(wrong, null, 1)))[0]).toMatch(/^line \d+: topP: 7 is too large/);
  });

  it('can’t reach what every object inherits', async () => {
    for (const key of ['__proto__', 'constructor', 'toString'])
      expect((await refused(`${key}: {seed: 1}`))[0]).toContain(`${key}: there is no such setting`);
    expect(({} as Record<string, unknown>).seed).toBeUndefined();
  });

  it('is one of any task', async () => {
    for (const task of TASK_NAMES.slice(0, 8))
      expect((await read(`task: ${task}`)).config).toEqual(defaultConfig(task));
  });
});
