import { expect, test } from 'vitest';
import { assemble, type CommandLine } from './assemble.ts';
import type { FileReader } from './named.ts';
import { defaultConfig } from '@rl-playground/run/settings';

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

test('words beside a file of TRL’s are settings of this project, and keys of TRL’s are refused', () => {
  const files = filesOf({
    'trl.yaml': 'per_device_train_batch_size: 8\nnum_generations: 4\nmax_steps: 50\nwarmup_ratio: 0.1\n',
  });
  const read = (...bare: string[]) => assemble({ ...NOTHING, file: { config: 'trl.yaml' }, bare }, files);
  expect(read('max_steps=100', 'group_size=2', 'warmup_steps=3')).toMatchObject({
    ok: true,
    config: { numSteps: 100, warmupSteps: 3, problemsPerStep: 2, rolloutsPerProblem: 2 },
  });
  expect(read('warmup_ratio=0.2', 'training.learning_rate=1e-3')).toMatchObject({
    errors: [
      expect.stringMatching(/^warmup_ratio: there is no such setting/),
      expect.stringMatching(/^training.learning_rate: there is no such setting/),
    ],
  });
});
