/** The engine's API: what it exports, and that the snippets of its page run as they are written. */
import * as engine from '@rl-playground/engine';
import * as tasks from '@rl-playground/tasks';
import { taskFor } from '@rl-playground/tasks';
import * as random from '@rl-playground/base/random';
import * as bridges from '@rl-playground/bridges/settings';
import * as machines from '@rl-playground/machines';
import * as loop from '@rl-playground/run/loop';
import * as settings from '@rl-playground/run/settings';
import { snippetsOf } from '@rl-playground/base/testing/snippets';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const STARTER = fileURLToPath(new URL('../public/models/starter', import.meta.url));

test('exports what its page names, and no more', () => {
  const values = [
    'ENGINE_DEFAULTS',
    'LOSS_NAMES',
    'REDUCTIONS',
    'centredAdvantages',
    'createEngine',
    'filesAtUrl',
    'filesInMemory',
    'loadModel',
    'modelFiles',
    'scaledAdvantages',
    'startBackend',
    'tf',
  ];
  expect(Object.keys(engine).sort()).toEqual(values);
});

const MODULES: Readonly<Record<string, object>> = {
  '@rl-playground/engine': engine,
  '@rl-playground/tasks': tasks,
  '@rl-playground/base/random': random,
  '@rl-playground/run/settings': settings,
  '@rl-playground/run/loop': loop,
  '@rl-playground/bridges/settings': bridges,
  '@rl-playground/machines': machines,
};

/** Runs a snippet as a module would be, and resolves to what it logs. */
async function logged(code: string): Promise<unknown[][]> {
  const lines: unknown[][] = [];
  const body = code.replaceAll(
    /^import (\{.*\}) from ('.*');$/gm,
    (_, names: string, source: string) => `const ${names} = modules[${source}];`,
  );
  const AsyncFunction = (async () => Promise.resolve()).constructor;
  const run: unknown = Reflect.construct(AsyncFunction, ['modules', 'rlPlayground', 'console', body]);
  if (typeof run !== 'function') throw new Error('The snippet is no program.');
  const console = { log: (...values: unknown[]) => lines.push(values) };
  // As the page's console has it.
  const createEngine = async ({ model, ...options }: engine.OpenOptions) => {
    const open = await engine.createEngine({ ...options, model: model === 'starter' ? STARTER : model });
    return { ...open, task: (name: string) => taskFor(open, name) };
  };
  await Reflect.apply(run, null, [MODULES, { createEngine }, console]);
  return lines;
}

test('the snippet for Node logs four answers with their rewards', async () => {
  const [code = '', ...others] = snippetsOf('engine.md', 'node');
  expect(others).toEqual([]);
  const lines = await logged(code);
  expect(lines).toHaveLength(4);
  for (const [text, reward] of lines) {
    expect(text).toMatch(/\d/);
    expect(Math.abs(Number(reward))).toBeLessThanOrEqual(1);
  }
});

test('the snippet for the console moves log-probabilities as the rewards ask', async () => {
  const [code = '', ...others] = snippetsOf('engine.md', 'console');
  expect(others).toEqual([]);
  const [[outcome] = []] = await logged(code);
  expect(outcome).toMatchObject({ version: 1, sampledBy: 1 });
  const { gained, gradNorm } = outcome as { gained: number; gradNorm: number };
  expect(gradNorm).toBeGreaterThan(0);
  expect(gained).toBeGreaterThan(0);
});

test('a model that is not there is named', async () => {
  await expect(engine.createEngine({ model: 'no/such/model' })).rejects.toThrow(
    'no/such/model does not exist. Give a folder in Hugging Face layout, a zip of one, or a GGUF file.',
  );
});

test.each([
  ['base', 'base', [[true]]],
  ['engine', 'node', [[4, true]]],
  ['tasks', 'tasks', [[true]]],
  ['run', 'run', [[2, true]]],
  ['bridges', 'bridges', [[true, 'dapo', 2]]],
  ['machines', 'machines', [['gcd']]],
])('the example in the README of %s', async (name, kind, lines) => {
  const [code = '', ...others] = snippetsOf(`../src/${name}/README.md`, kind);
  expect(others).toEqual([]);
  expect(await logged(code)).toEqual(lines);
});
