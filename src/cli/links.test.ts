/** Links in what may come from a stranger: nothing is read, written or deleted through one. */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonText } from '@rl-playground/base/json';
import { defaultConfig } from '@rl-playground/run/settings';
import { filesInFolder, inside } from '@rl-playground/engine/parts/node';
import { openBytes } from '@rl-playground/engine/parts';
import { writeTrackedRun } from '@rl-playground/run/testing/trackedRuns';
import { captured } from './testing/captured.ts';
import { appendLines, replaceFile, writeOpenFile, lockFolder } from '@rl-playground/run/disk';
import { recordedRun } from './recordedRun.ts';
import { reopenRun } from './resume.ts';
import { beginRun } from './runDirectory.ts';
import { writeStart } from './startRecord.ts';
import track from './track.ts';
import {
  checkNamedPlace,
  destinationOf,
  USUAL_PATIENCE,
  STATE_FILE,
  stateFolder,
  TrackState,
} from '@rl-playground/bridges/trackers';
import { writeRolloutsParquet } from './rolloutsParquet.ts';

let scratch = '';
let run = '';
/** A file of the person's, outside of every run. */
let own = '';
const OWN = 'alias ll="ls -l"\n';

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rl-playground-links-'));
  [run, own] = [join(scratch, 'run'), join(scratch, 'bashrc')];
  writeFileSync(own, OWN);
  beginRun(run, defaultConfig('sum_digits')).release();
  writeStart(run, { backend: 'wasm', full: false, model: null });
});
afterEach(() => rmSync(scratch, { recursive: true }));

/** Makes a link in the run's directory. */
function link(name: string, target: string): void {
  rmSync(join(run, name), { force: true, recursive: true });
  symlinkSync(target, join(run, name));
}
const resumed = async (): Promise<void> => (await reopenRun(run, null, () => undefined)).folder.release();

/** Whatever the run's directory holds, but for the lock of who tries to go on with it. */
const contents = (): readonly (readonly [string, string])[] =>
  readdirSync(run, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'run.lock')
    .map((each) => join(each.parentPath, each.name))
    .toSorted()
    .map((path) => [path, readFileSync(path, 'utf8')]);

describe('a run that is gone on with', () => {
  beforeEach(() => {
    // Of later steps: what goes on with the run takes it away.
    writeFileSync(join(run, 'metrics.jsonl'), '{"kind":"step","step":1}\n');
    writeFileSync(join(run, 'train_results.json'), '{}');
    mkdirSync(join(run, 'eval_results'), { recursive: true });
    writeFileSync(join(run, 'eval_results', 'eval_step_1.json'), '{}');
  });

  test.each(['rollouts.jsonl', 'metrics.jsonl', 'config.json', 'run.json', 'train_results.json', 'run.lock'])(
    '%s is a link to a file: refused, and it and the run are what they were',
    async (name) => {
      link(name, own);
      const before = contents();
      await expect(resumed()).rejects.toThrow(`${name} is a link, to ${own}`);
      expect(readFileSync(own, 'utf8')).toBe(OWN);
      expect(contents()).toEqual(before);
    },
  );

  test('a link that leads nowhere makes nothing there', async () => {
    const nowhere = join(scratch, 'nowhere');
    link('rollouts.jsonl', nowhere);
    await expect(resumed()).rejects.toThrow('is a link');
    expect(existsSync(nowhere)).toBe(false);
  });

  test('a link to a device is not read', async () => {
    link('metrics.jsonl', '/dev/zero');
    await expect(resumed()).rejects.toThrow('is a link, to /dev/zero');
  });

  test.each(['eval_results', 'final_model', 'checkpoint-2'])(
    '%s is a link to a folder: refused, and the folder and the run keep their files',
    async (name) => {
      const folder = join(scratch, 'shared');
      mkdirSync(folder);
      writeFileSync(join(folder, 'eval_step_9.json'), '{}');
      link(name, folder);
      const before = contents();
      await expect(resumed()).rejects.toThrow(`${name} is a link`);
      expect(readdirSync(folder)).toEqual(['eval_step_9.json']);
      expect(contents()).toEqual(before);
    },
  );

  test('drafts that are links are taken away, and what they lead to stays', async () => {
    const folder = join(scratch, 'shared');
    mkdirSync(folder);
    writeFileSync(join(folder, 'kept'), OWN);
    for (const name of ['metrics.jsonl.tmp', 'rollouts.jsonl.tmp', 'config.json.tmp']) link(name, own);
    link('checkpoint-3.tmp', folder);
    await resumed();
    const reopened = await reopenRun(run, 900, () => undefined);
    reopened.folder.release();
    expect(readFileSync(own, 'utf8')).toBe(OWN);
    expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe(OWN);
    expect(lstatSync(join(run, 'config.json')).isFile()).toBe(true);
  });

  test('the directory may be a link itself', async () => {
    const second = join(scratch, 'second-disk');
    symlinkSync(run, second);
    const { folder } = await reopenRun(second, null, () => undefined);
    folder.rollouts('{"step":1}\n');
    folder.release();
    expect(readFileSync(join(run, 'rollouts.jsonl'), 'utf8')).toBe('{"step":1}\n');
  });
});

test('a lock is not written through a link', () => {
  link(`run.lock.${process.pid}`, own);
  lockFolder(run)();
  expect(readFileSync(own, 'utf8')).toBe(OWN);
});

test('a file is put in the place of a link, and lines are added to none', async () => {
  for (const name of ['a', 'b', 'c']) link(name, own);
  replaceFile(join(run, 'a'), 'new');
  await writeOpenFile(join(run, 'b'), openBytes(Uint8Array.from([1, 2])));
  expect(() => appendLines(join(run, 'c'), 'line\n')).toThrow(/could not be written/);
  expect(readFileSync(own, 'utf8')).toBe(OWN);
  expect(readFileSync(join(run, 'a'), 'utf8')).toBe('new');
  expect([...readFileSync(join(run, 'b'))]).toEqual([1, 2]);
});

test('a report reads no link', () => {
  writeTrackedRun(run, 1);
  link('train_results.json', own);
  expect(() => recordedRun(run)).toThrow('is a link');
});

describe('a tracker', () => {
  test('writes to no folder that its folder is a link to', () => {
    link('tracking', scratch);
    expect(() => stateFolder(run, 'tensorboard', 'the run directory')).toThrow('is a link');
    link('tensorboard', scratch);
    expect(() => destinationOf('tensorboard', run, {}, {})).toThrow('is a link');
  });

  test('writes no table through a draft that is a link', async () => {
    writeTrackedRun(run, 1);
    link('rollouts.parquet.tmp', own);
    await writeRolloutsParquet(join(run, 'rollouts.jsonl'), join(run, 'rollouts.parquet'), () => undefined);
    expect(readFileSync(own, 'utf8')).toBe(OWN);
    expect(lstatSync(join(run, 'rollouts.parquet')).isFile()).toBe(true);
  });

  test('sends no file that config.json is a link to', async () => {
    writeTrackedRun(run, 1);
    const secret = join(scratch, 'secret.json');
    writeFileSync(secret, '{"key": "secret"}');
    link('config.json', secret);
    const { code, stderr } = await captured(track, run, '--to', 'tensorboard');
    expect(code).toBe(2);
    expect(stderr).toContain('is a link');
    expect(existsSync(join(run, 'tensorboard'))).toBe(false);
  });

  test('writes to no folder that its state names, where that is a link', () => {
    link('logs', scratch);
    expect(() => checkNamedPlace('tensorboard', run, { dir: join(run, 'logs') }, 'state.json', {})).toThrow(
      /which is not of the run directory \(.*is a link/,
    );
  });

  test('cuts no file that its state names outside of its folder', async () => {
    writeTrackedRun(run, 1);
    const kept = stateFolder(run, 'tensorboard', 'the run directory');
    TrackState.open(run, kept, { destination: 'the run directory', place: {} });
    const path = join(kept, STATE_FILE);
    const state = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, jsonText({ ...state, remote: { file: '../../bashrc', bytes: 1 } }));
    mkdirSync(join(run, 'tensorboard'));
    const opened = TrackState.open(run, kept, { destination: 'the run directory', place: {} });
    const destination = destinationOf('tensorboard', run, {}, {});
    const tracker = destination.tracker({ name: 'r', settings: new Map() }, opened, USUAL_PATIENCE);
    expect(await tracker.open([])).toContain(join(run, 'tensorboard', 'events.out.tfevents.'));
    expect(readFileSync(own, 'utf8')).toBe(OWN);
  });
});

describe('a model folder', () => {
  test('lends no file that it links to', async () => {
    const folder = join(scratch, 'model');
    mkdirSync(folder);
    symlinkSync(own, join(folder, 'chat_template.jinja'));
    const files = filesInFolder(folder);
    expect(files.names).toEqual(['chat_template.jinja']);
    await expect(files.open('chat_template.jinja')).rejects.toThrow('is a link');
    await expect(files.open('../bashrc')).rejects.toThrow('lies outside');
  });

  test('of the Hub’s cache has its links, to its own blobs and to nothing else', async () => {
    const model = join(scratch, 'models--org--x');
    const snapshot = join(model, 'snapshots', 'abc');
    const merged = join(snapshot, 'final_model');
    for (const folder of [merged, join(model, 'blobs')]) mkdirSync(folder, { recursive: true });
    appendFileSync(join(model, 'blobs', '123'), '{}');
    symlinkSync('../../blobs/123', join(snapshot, 'config.json'));
    symlinkSync('../../../blobs/123', join(merged, 'config.json'));
    symlinkSync('../../../bashrc', join(snapshot, 'tokenizer.json'));
    symlinkSync('../../blobs/none', join(snapshot, 'vocab.json'));
    const files = filesInFolder(snapshot);
    expect((await files.open('config.json'))?.size).toBe(2);
    expect((await filesInFolder(merged).open('config.json'))?.size).toBe(2);
    for (const name of ['tokenizer.json', 'vocab.json'])
      await expect(files.open(name)).rejects.toThrow('is a link');
  });
});

test.each(['../x', 'a/../../x', '/etc/passwd', '.', '', 'a/..'])('"%s" is no place inside', (name) => {
  if (name === '/etc/passwd') expect(inside(run, name)).toBe(join(run, 'etc/passwd'));
  else expect(() => inside(run, name)).toThrow('lies outside');
});
