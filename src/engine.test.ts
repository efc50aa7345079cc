/** The public surface: what it exports, and that the snippets of its page run as they are written. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as api from './engine.ts';
import * as inNode from './engineNode.ts';
import { snippetsOf } from './testing/snippets.ts';

test('exports what its page names, and no more', () => {
  const values = [
    'LOSS_NAMES',
    'REDUCTIONS',
    'TASK_NAMES',
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
  expect(Object.keys(api).sort()).toEqual(values);
  expect(Object.keys(inNode).sort()).toEqual(values);
});

test('the package exports it, for Node as for a page', async () => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Record<'.', Record<'node' | 'default', string>> };
  expect(exports['.']).toEqual({ node: './src/engineNode.ts', default: './src/engine.ts' });
  expect(await import('rl-playground')).toEqual(inNode);
});

const MODULES: Readonly<Record<string, object>> = {
  '../src/engineNode.ts': inNode,
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
  await Reflect.apply(run, null, [MODULES, { createEngine: inNode.createEngine }, console]);
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
  await expect(inNode.createEngine({ model: 'no/such/model' })).rejects.toThrow(
    'There is no model "no/such/model"; pass one of starter,',
  );
});
