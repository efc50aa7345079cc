/** A run directory that a kill left behind is cut to its last checkpoint, and what is made from there equals an undisturbed run, to the bit. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { LoadedModel, EngineEnvironment } from '@rl-playground/engine/parts';
import { startBackend, createLocalPool } from '@rl-playground/engine/parts/tensors';
import { jsonText } from '@rl-playground/base/json';
import { defaultConfig, type RunConfig, versionNote } from '@rl-playground/run/settings';
import { checkpointFiles } from '@rl-playground/run/checkpoint';
import { readMetricsLog } from '@rl-playground/run/records';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { timeless } from '@rl-playground/run/metrics';
import { tinyStarter } from '@rl-playground/engine/testing/tinyStarter';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { zipBytes } from '@rl-playground/engine/testing/zips';
import { readRun } from './exportSource.ts';
import { BadInput } from '@rl-playground/base/errors';
import { reopenRun, type ReopenedRun } from './resume.ts';
import { beginRun, type RunFolder } from './runDirectory.ts';
import { readStartData, writeStart, writeStartData } from './startRecord.ts';
import { refused, resuming } from './testing/trainWords.ts';

const CONFIG: RunConfig = {
  ...defaultConfig('reverse_digits'),
  learningRate: 3e-3,
  lrSchedule: 'linear',
  warmupSteps: 0,
  warmStartSteps: 2,
  numSteps: 4,
  numGenerators: 1,
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 12,
  evalSamples: 2,
  saveSteps: 2,
  seed: 5,
};
const ENVIRONMENT: EngineEnvironment = {
  createPool: (model, { generatorPrecision }) => createLocalPool(model, generatorPrecision),
  now: () => performance.now(),
};

let model: LoadedModel;
const scratch = mkdtempSync(join(tmpdir(), 'rl-playground-resume-'));
afterAll(() => rmSync(scratch, { recursive: true }));
beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
  model = await tinyStarter(starterInNode());
});

const open: (RunFolder | ReopenedRun)[] = [];
const letGo = (): void => {
  for (const each of open.splice(0)) ('folder' in each ? each.folder : each).release();
};
afterEach(letGo);

let runs = 0;
/** A folder with the beginning of a run in it. */
function begun(config = CONFIG): { readonly path: string; readonly folder: RunFolder } {
  const path = join(scratch, `run-${++runs}`);
  const folder = beginRun(path, config);
  open.push(folder);
  writeStart(path, { backend: 'wasm', full: false, model: null });
  return { path, folder };
}

async function reopened(path: string, numSteps: number | null = null): Promise<ReopenedRun> {
  const said: string[] = [];
  const run = await reopenRun(path, numSteps, (text) => said.push(text));
  open.push(run);
  expect(said).toEqual([]);
  return run;
}

let zips = 0;
async function zipped(session: Session): Promise<string> {
  const path = join(scratch, `${++zips}.zip`);
  writeFileSync(path, await zipBytes(await checkpointFiles(await session.parts())));
  return path;
}

/** Makes the updates and steps up to `end` as the command line writes them down; with `atEnd` the end of the run, too. */
async function advance(session: Session, folder: RunFolder, end: number, atEnd = false): Promise<void> {
  while (session.inSft) {
    await session.sftStep();
    folder.sft(session.sftLosses.slice(-1), session.sftTokens.slice(-1));
  }
  const evaluate = async (): Promise<void> => {
    if (session.evaluation) return;
    await session.evaluate({});
    folder.log([], session.evaluations.slice(-1));
  };
  if (session.step === 0) await evaluate();
  while (session.step < end) {
    await session.trainStep({});
    folder.log(session.metrics.slice(-1), []);
    folder.rollouts(session.log.steps.at(-1)?.lines ?? '');
    if (session.step % CONFIG.saveSteps === 0) await folder.checkpoint(session.step, await zipped(session));
  }
  if (!atEnd) return;
  await evaluate();
  const { metrics, evaluations } = session;
  const run = { modelName: model.name, metrics, evaluations, wallSeconds: 1, rolloutStepsForgotten: 0 };
  await folder.finish(run, await zipped(session));
}

const read = (path: string, name: string): string => readFileSync(join(path, name), 'utf8');
const outcome = (path: string) => ({
  weights: readFileSync(join(path, 'final_model/model.safetensors')).toString('hex'),
  optimizer: readFileSync(join(path, 'final_model/optimizer.safetensors')).toString('hex'),
  metrics: timeless(readMetricsLog(read(path, 'metrics.jsonl'))),
  places: read(path, 'metrics.jsonl').match(/^\{"step":-?\d+/gm),
  rollouts: read(path, 'rollouts.jsonl'),
  evaluations: readdirSync(join(path, 'eval_results')).sort(),
});

async function wholeRun(config = CONFIG): Promise<string> {
  const { path, folder } = begun(config);
  const session = await Session.open(config, freshStart(model), ENVIRONMENT);
  await advance(session, folder, config.numSteps, true);
  session.dispose();
  letGo();
  return path;
}

/** Goes on from the checkpoint of a reopened run, to its end. */
async function goOn({ folder, config, checkpoint }: ReopenedRun): Promise<void> {
  const start = checkpoint ? await readRun(join(folder.path, checkpoint.name), null, {}) : freshStart(model);
  const session = await Session.open(config, start, ENVIRONMENT);
  expect(session.step).toBe(checkpoint?.state.step ?? 0);
  await advance(session, folder, config.numSteps, true);
  session.dispose();
}

test('a run that was killed goes on to the bit: the rest of a step and a torn line are cut', async () => {
  const whole = await wholeRun();
  const { path, folder } = begun();
  const session = await Session.open(CONFIG, freshStart(model), ENVIRONMENT);
  await advance(session, folder, 3);
  await session.evaluate({});
  folder.log([], session.evaluations.slice(-1));
  session.dispose();
  letGo();
  const [metrics, rollouts] = [join(path, 'metrics.jsonl'), join(path, 'rollouts.jsonl')];
  for (const file of [metrics, rollouts]) appendFileSync(file, '{"step":4,"rew');
  // What a kill leaves of a checkpoint that is being written.
  mkdirSync(join(path, 'checkpoint-4.tmp'));
  writeFileSync(join(path, 'checkpoint-4.tmp', 'model.safetensors'), 'part');

  const run = await reopened(path);
  expect(run).toMatchObject({ finished: false, checkpoint: { name: 'checkpoint-2' }, notes: [] });
  expect(readMetricsLog(read(path, 'metrics.jsonl')).map(({ step }) => step)).toEqual([1, 2]);
  expect(read(path, 'rollouts.jsonl')).not.toContain('"step":3');
  expect(readdirSync(path)).not.toContain('checkpoint-4.tmp');
  expect(readdirSync(join(path, 'eval_results'))).toEqual(['eval_step_0.json']);
  await goOn(run);
  expect(outcome(path)).toEqual(outcome(whole));
  letGo();
  const again = await reopened(path);
  expect([again.finished, again.checkpoint?.name]).toEqual([true, 'final_model']);
});

test('a run that was killed in its warm-up goes on there, from a checkpoint that nobody asked for', async () => {
  const config = { ...CONFIG, numSteps: 2 };
  const whole = await wholeRun(config);
  const { path, folder } = begun(config);
  const session = await Session.open(config, freshStart(model), ENVIRONMENT);
  await session.sftStep();
  folder.sft(session.sftLosses, session.sftTokens);
  await folder.timedCheckpoint(await zipped(session));
  await session.sftStep();
  folder.sft(session.sftLosses.slice(-1), session.sftTokens.slice(-1));
  session.dispose();
  letGo();
  const run = await reopened(path);
  expect(run.checkpoint?.name).toBe('checkpoint--1');
  expect(read(path, 'metrics.jsonl').match(/"sft\/step"/g)).toHaveLength(1);
  await goOn(run);
  expect(outcome(path)).toEqual(outcome(whole));
});

test('without a checkpoint a run begins anew, and a finished one is prolonged with a word about its schedule', async () => {
  const { path, folder } = begun();
  folder.rollouts('{"step":1}\n');
  letGo();
  const run = await reopened(path, 2);
  expect(run).toMatchObject({ finished: false, checkpoint: null, config: { ...CONFIG, numSteps: 2 } });
  expect([read(path, 'metrics.jsonl'), read(path, 'rollouts.jsonl')]).toEqual(['', '']);
  await goOn(run);
  letGo();

  await expect(reopenRun(path, 1, () => {})).rejects.toThrow('has made 2 steps already. Ask for 2 or more.');
  const longer = await reopened(path, 4);
  expect(longer).toMatchObject({ finished: false, checkpoint: { name: 'checkpoint-2' } });
  // Linear over 2 steps would be at 0 in the third, over 4 it is at half.
  expect(longer.notes).toEqual([
    expect.stringMatching(/over 4 steps now \(linear\): it is 1\.50e-3 in step 3, .* 0\.00e\+0 over 2/),
  ]);
  expect(existsSync(join(path, 'final_model'))).toBe(false);
  expect(existsSync(join(path, 'train_results.json'))).toBe(false);
  expect(JSON.parse(read(path, 'config.json'))).toMatchObject({ numSteps: 4 });
  await goOn(longer);
  expect(readMetricsLog(read(path, 'metrics.jsonl')).map(({ step }) => step)).toEqual([1, 2, 3, 4]);
});

test('settings that were changed, and folders without a run, are refused; a lock is respected', async () => {
  const path = await wholeRun({ ...CONFIG, numSteps: 2 });
  writeFileSync(join(path, 'config.json'), jsonText({ ...CONFIG, numSteps: 2, temperature: 0.5 }));
  await expect(reopenRun(path, 4, () => {})).rejects.toThrow(
    /config\.json has been changed since final_model/,
  );
  expect(existsSync(join(path, 'run.lock'))).toBe(false);
  writeFileSync(join(path, 'config.json'), '{"task": "nothing"}');
  await expect(reopenRun(path, null, () => {})).rejects.toThrow(BadInput);
  rmSync(join(path, 'run.json'));
  await expect(reopenRun(path, null, () => {})).rejects.toThrow(/there is no run\.json in it/);
  await expect(reopenRun(join(scratch, 'none'), null, () => {})).rejects.toThrow(/no such folder/);
  const { path: busy } = begun();
  await expect(reopenRun(busy, null, () => {})).rejects.toThrow(/in use by another run/);
});

test('a run of another version of the settings goes on, and it is said what that means', async () => {
  const { path } = begun();
  letGo();
  const start = JSON.parse(read(path, 'run.json')) as object;
  writeFileSync(join(path, 'run.json'), jsonText({ ...start, settings_version: 5 }));
  const { config, notes } = await reopened(path);
  expect(config).toEqual(CONFIG);
  expect(notes).toEqual([versionNote('The run', 5)]);
});

test('own tasks and rows come back from the folder', async () => {
  const config = { ...CONFIG, warmStartData: 'rows.jsonl' };
  const { path } = begun(config);
  const data = {
    customTasks: [],
    taskRows: [{ task: 'gsm8k', train: [{ question: '1+1?', answer: '2' }], test: [] }],
    sftFile: {
      name: 'rows.jsonl',
      rows: [{ prompt: [{ role: 'user', content: 'Hi' }], completion: 'Hello' }],
    },
  } as const;
  writeStartData(path, data);
  expect(await readStartData(path, config)).toEqual(data);
});

test('--resume stands alone, but for the number of steps and what is shown', () => {
  expect(resuming('--resume', 'runs/a')).toEqual({
    resume: 'runs/a',
    numSteps: null,
    json: null,
    track: [],
    join: null,
    hub: {},
    verbose: false,
  });
  expect(resuming('--resume', 'runs/a', '--num-steps', '30', '--json', 'r.json', '--verbose')).toEqual({
    resume: 'runs/a',
    numSteps: 30,
    json: 'r.json',
    track: [],
    join: null,
    hub: {},
    verbose: true,
  });
  const allowed = ['--hub-url', 'https://hub.example', '--allow-server', 'https://a.example/x'];
  expect(resuming('--resume', 'runs/a', ...allowed).hub).toEqual({
    hubUrl: 'https://hub.example',
    allowServer: ['https://a.example'],
  });
  const { exitCode, text } = refused('--resume', 'runs/a', '--out', 'b', '--learning-rate=1', 'seed=2');
  expect(exitCode).toBe(2);
  expect(text).toContain(
    'leave out --out, learning_rate=1, seed=2. Only --num-steps, --json, --track, --join (with --num-generators 0), --hub-url, --allow-server and --verbose',
  );
  expect(refused('--resume', 'runs/a', '--num-steps', '0')).toEqual({
    exitCode: 2,
    text: '--num-steps: 0 is too few; choose 1 to 100000.',
  });
});
