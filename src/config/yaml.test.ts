import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { TASK_NAMES } from '../tasks/index.ts';
import { parseConfig } from './describe.ts';
import { snakeName } from './names.ts';
import { defaultConfig, PRESETS } from './presets.ts';
import { FIELD_KEYS, PRESET_NAMES, type RunConfig } from './runFields.ts';
import { readSettings, settingsAsJson, settingsToYaml } from './yaml.ts';

async function read(text: string) {
  const result = await readSettings(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

async function refused(text: string) {
  const result = await readSettings(text);
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
    for (const text of [await settingsToYaml(config), settingsAsJson(config)]) {
      const back = await read(text);
      expect(back.config).toEqual(config);
      expect([back.replaced, back.ignored]).toEqual([[], []]);
      expect(back.given.size).toBe(FIELD_KEYS.length);
    }
  });

  it('states every setting once by its snake_case name, in groups, below a comment', async () => {
    const text = await settingsToYaml(defaultConfig('reverse_digits', 'tinker-rl-loop'));
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
    const start = await readSettings('seed: 3', { start: { task: 'chain_sum', preset: 'monarch-digits' } });
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
      'mini_batch_size: 24\n',
      [/^line 1: mini_batch_size \(miniBatchSize\): 24 does not divide .*128 answers/],
    ],
    [
      'temperature: 1\ncolour: red\n',
      [/^line 2: colour: there is no such setting for the value "red"; the settings are task, /],
    ],
    ['seed: 1\nseed: 2\n', [/^line 2: it is no YAML or JSON: Map keys must be unique/]],
    ['seed: [1', [/^line 1: it is no YAML or JSON: /]],
    ['- seed\n- 1\n', [/^The file holds \["seed",1\]; settings are lines of "name: value"/]],
    ['', [/^The file holds null/]],
    ['42', [/^The file holds 42/]],
    [
      'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n',
      [/^The file can't be read/],
    ],
    [`seed: ${'1'.repeat(1_000_001)}`, [/1000007 characters/]],
    ['['.repeat(50_000), [/./]],
  ])('is refused with line, name, value and rule: %j', async (text, expected) => {
    const errors = await refused(text);
    for (const [i, one] of expected.entries())
      if (typeof one === 'string') expect(errors[i]).toBe(one);
      else expect(errors[i]).toMatch(one);
    for (const error of errors) expect(error.length).toBeLessThan(3000);
  });

  it('is also the config.json of a run directory, and of a checkpoint', async () => {
    const config = { ...defaultConfig('chain_sum', 'monarch-digits'), seed: 8 };
    expect((await read(JSON.stringify(config))).config).toEqual(config);
    const ofModel = {
      model_type: 'llama',
      hidden_size: 64,
      rl_playground: { prompt_style: 'x', run: config },
    };
    expect((await read(JSON.stringify(ofModel, null, 1))).config).toEqual(config);
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
