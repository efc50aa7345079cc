/** A run of a model in somebody's own folder: no file that it leaves for others, and nothing that is sent, holds where that folder lies. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startHub } from '@rl-playground/engine/testing/hubServer';
import { mlflowServer } from '@rl-playground/bridges/testing/trackingServers';
import { bundledFolder } from '@rl-playground/run/models/node';
import exportProgram from './export.ts';
import handoff from './handoff.ts';
import report from './report.ts';
import sweep from './sweep.ts';
import { START_FILE } from './startRecord.ts';
import track from './track.ts';

const home = mkdtempSync(join(tmpdir(), 'home-of-ada-'));
const [model, working] = [join(home, 'private/my-model'), join(home, 'work')];
const run = join(working, 'runs/gcd-seed0');
let said = '';

beforeAll(async () => {
  const print = (line: unknown): void => void (said += `${String(line)}\n`);
  vi.spyOn(console, 'log').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
  cpSync(bundledFolder('starter-gym'), model, { recursive: true });
  mkdirSync(working);
  const base = { model, numSteps: 1, problemsPerStep: 2, rolloutsPerProblem: 2, maxTokens: 24 };
  const settings = {
    ...base,
    evalSamples: 4,
    passAtK: 1,
    loraRank: 2,
    baseFormat: '16bit',
    numGenerators: 1,
  };
  const path = join(home, 'sweep.json');
  writeFileSync(path, JSON.stringify({ tasks: ['gcd'], seeds: 0, base: settings }));
  if ((await sweep([path, '--jobs', '1', '--out', working])) !== 0) throw new Error(said);
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

/** The names of the files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  expect(files.length).toBeGreaterThan(0);
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => relative(folder, path));
}

/** Nothing holds the name of the home folder, which every path on this machine has in it. */
const SECRET = home.slice(home.lastIndexOf('/') + 1);

it('the run directory notes the path in the one file that goes on from it', () => {
  expect(filesWith(run, SECRET)).toEqual([START_FILE]);
  expect(readFileSync(join(run, 'config.json'), 'utf8')).toContain('"model": "my-model"');
});

it.each([
  ['merged', []],
  ['peft', []],
  ['onnx', []],
  ['merged', ['--dtype', 'BF16']],
] as const)('export as %s %j', async (format, more) => {
  const out = join(home, `out-${format}${more.length}`);
  expect(await exportProgram(['--model', run, '--format', format, ...more, '--out', out]), `${said}`).toBe(0);
  expect(filesWith(out, SECRET)).toEqual([]);
  expect(filesWith(out, 'my-model')).not.toEqual([]);
});

it.each(['trl', 'verl', 'prime-rl'])('hand-off to %s', async (trainer) => {
  const out = join(home, `handoff-${trainer}`);
  expect(await handoff([run, '--to', trainer, '--out', out]), `${said}`).toBe(0);
  expect(filesWith(out, SECRET)).toEqual([]);
});

it('a report', async () => {
  const out = join(home, 'report');
  mkdirSync(out);
  expect(await report([run, '--out', join(out, 'report.html')]), `${said}`).toBe(0);
  expect(filesWith(out, SECRET)).toEqual([]);
  expect(filesWith(out, 'my-model')).toEqual(['report.html']);
});

it.each(['tensorboard', 'parquet'])('what is tracked by %s', async (target) => {
  const out = join(home, `track-${target}`);
  mkdirSync(out);
  expect(await track([run, '--to', target, '--dir', out]), `${said}`).toBe(0);
  expect(filesWith(out, SECRET)).toEqual([]);
});

it('what is sent to a tracking server', async () => {
  const server = await mlflowServer();
  try {
    expect(await track([run, '--to', 'mlflow', '--url', server.url]), `${said}`).toBe(0);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
    expect(JSON.stringify(server.requests)).toContain('my-model');
  } finally {
    await server.close();
  }
});

it('what is sent to the Hub', async () => {
  const hub = await startHub({});
  hub.accounts.set('hf_write', { namespaces: ['ada'], mayWrite: true });
  vi.stubEnv('HF_TOKEN', 'hf_write');
  try {
    const words = ['--model', run, '--push', 'ada/gcd', '--hub-url', hub.url];
    expect(await exportProgram(words), `${said}`).toBe(0);
    const sent = [...(hub.models.get('ada/gcd')?.files ?? [])];
    expect(sent.length).toBeGreaterThan(3);
    for (const [name, bytes] of sent) expect(Buffer.from(bytes).includes(SECRET), `${name}`).toBe(false);
  } finally {
    await hub.close();
    vi.unstubAllEnvs();
  }
});
