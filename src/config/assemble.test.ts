import { expect, test } from 'vitest';
import { assemble, type CommandLine } from './assemble.ts';
import { withSpelledOptions } from './commandWords.ts';
import type { FileReader } from './files/named.ts';
import { defaultConfig } from './presets.ts';
import type { RunConfig } from './schema.ts';

/** Files that are nowhere but here, by their paths. */
function filesOf(texts: Readonly<Record<string, string>>): FileReader {
  return {
    kindOf: (path) => {
      if (Object.hasOwn(texts, path)) return 'file';
      return Object.keys(texts).some((each) => each.startsWith(`${path}/`)) ? 'folder' : null;
    },
    read: (path) => {
      const text = texts[path];
      if (text === undefined) throw new Error('The disk is gone.');
      return text;
    },
    join: (...parts) => parts.join('/').replace(/^\.\//, ''),
    dirname: (path) => path.replace(/\/?[^/]*$/, ''),
    basename: (path) => path.replace(/^.*\//, ''),
  };
}

const NOTHING: CommandLine = { file: {}, preset: null, options: [], usual: [], set: [], bare: [] };

test('a preset gives way to a file, that to options, and those to words', () => {
  const files = filesOf({ 'a/run.yaml': 'num_steps: 33\ntemperature: 0.8\nmax_tokens: 50\nseed: 1\n' });
  const line: CommandLine = {
    ...NOTHING,
    file: { config: 'a/run.yaml' },
    preset: 'monarch-digits',
    options: [
      { flag: '--num-steps', key: 'numSteps', text: '5' },
      { flag: '--seed', key: 'seed', text: '2' },
    ],
    bare: ['seed=3', 'max_tokens=60'],
  };
  expect(assemble(line, files)).toMatchObject({
    ok: true,
    config: {
      ...defaultConfig('sum_digits', 'monarch-digits'),
      temperature: 0.8,
      numSteps: 5,
      seed: 3,
      maxTokens: 60,
    },
  });
});

test('values that nobody gave count where neither a preset nor a file says otherwise', () => {
  const usual = [{ flag: '--num-steps', key: 'numSteps', text: '20' }] as const;
  const stepsOf = (line: Partial<CommandLine>) => {
    const result = assemble({ ...NOTHING, usual, ...line }, filesOf({ 'b.yaml': 'num_steps: 7' }));
    return result.ok ? result.config.numSteps : result.errors;
  };
  expect(stepsOf({})).toBe(20);
  expect(stepsOf({ preset: 'rlvr-test' })).toBe(15);
  expect(stepsOf({ bare: ['preset=rlvr-test'] })).toBe(15);
  expect(stepsOf({ file: { config: 'b.yaml' } })).toBe(7);
});

test('errors name the file, the option or the word, and come together', () => {
  const files = filesOf({ 'a/wrong.yaml': 'top_p: 3', 'a/b/c.yaml': '' });
  const errorsOf = (line: Partial<CommandLine>) => {
    const result = assemble({ ...NOTHING, ...line }, files);
    return result.ok ? [] : result.errors;
  };
  expect(errorsOf({ file: { config: 'a/wrong.yaml' }, set: ['seed'], bare: ['colour=1'] })).toEqual([
    '--set seed: write it as setting=value.',
    expect.stringMatching(/^colour: there is no such setting/),
    'wrong.yaml: line 1: top_p (topP): 3 is too large; choose 0.01 to 1.',
  ]);
  expect(errorsOf({ file: { config: 'a/b' } })).toEqual([
    '--config: a folder is no file: a/b; give the path of a .yaml or .json file.',
  ]);
  const gone: FileReader = { ...files, kindOf: () => 'file' };
  expect(assemble({ ...NOTHING, file: { config: 'z.yaml' } }, gone)).toEqual({
    ok: false,
    errors: ['z.yaml: The disk is gone.'],
  });
});

test.each<[words: string[], expected: Partial<RunConfig>]>([
  [['warmup_ratio=0.1'], { numSteps: 20, warmupSteps: 2 }],
  [['warmup_ratio=0.1', 'max_steps=50'], { numSteps: 50, warmupSteps: 5 }],
  [['warmup_steps=0.1', 'num_steps=100'], { numSteps: 100, warmupSteps: 10 }],
  [['warmup_steps=3', 'num_steps=100'], { warmupSteps: 3 }],
  [['per_device_train_batch_size=8', 'num_generations=4'], { problemsPerStep: 2, rolloutsPerProblem: 4 }],
  [
    ['per_device_train_batch_size=8', 'gradient_accumulation_steps=2', 'loss_type=bnpo'],
    { loss: 'bnpo', miniBatchSize: 8, gradientAccumulation: 2 },
  ],
])('keys of another system are measured by what stands beside them: %j', (bare, expected) => {
  const usual = [{ flag: '--num-steps', key: 'numSteps', text: '20' }] as const;
  expect(assemble({ ...NOTHING, usual, bare }, filesOf({}))).toMatchObject({ ok: true, config: expected });
});

test('what a loss of ours brings along is told beside keys of another system, too', () => {
  const line = { ...NOTHING, bare: ['per_device_train_batch_size=8', 'loss_type=bnpo'] };
  expect(assemble(line, filesOf({}))).toMatchObject({
    notes: [expect.stringContaining('lossReduction is "auto" instead of "token_mean"')],
  });
});

test('a command of TRL’s own is a run of its trainer, as a file of it is, unless a preset is named', () => {
  const command =
    '--model_name_or_path Qwen/Qwen2.5-0.5B --dataset_name some/rows --num_generations 4 --max_steps 40 ' +
    '--warmup_steps 0.1 --reward_funcs accuracy_reward think_format_reward beta=0.1';
  const bare = withSpelledOptions(command.split(' '), new Set());
  const line = { ...NOTHING, usual: [{ flag: '--num-steps', key: 'numSteps', text: '20' }] as const, bare };
  const own = {
    preset: 'rl-for-real-grpo',
    loss: 'dapo',
    learningRate: 1e-6,
    klBeta: 0.1,
    klBiasCorrection: true,
  };
  const batch = { problemsPerStep: 2, rolloutsPerProblem: 4, numSteps: 40, warmupSteps: 4 };
  const result = assemble(line, filesOf({}));
  expect(result).toMatchObject({ ok: true, config: { ...own, ...batch, model: 'starter-logic' } });
  expect(result.ok && result.notes).toContain(
    'Ignored reward_funcs (["accuracy_reward","think_format_reward"]): task says what is asked, and rows of a data set come by --data.',
  );
  const asked = { ...line, options: [{ flag: '--task', key: 'task', text: 'chain_sum' }] as const };
  expect(assemble(asked, filesOf({}))).toMatchObject({
    config: { ...own, ...batch, task: 'chain_sum', model: 'starter-gym' },
  });
  expect(assemble({ ...line, preset: 'default' }, filesOf({}))).toMatchObject({
    config: { preset: 'default', task: 'sum_digits', learningRate: 3.5e-4 },
  });
});
