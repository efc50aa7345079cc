import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { scalarsOf } from '@rl-playground/bridges/testing/eventFiles';
import {
  appendToLog,
  endTrackedRun,
  loggedNumbers,
  stepLines,
  writeTrackedRun,
} from '@rl-playground/run/testing/trackedRuns';
import { mlflowServer } from '@rl-playground/bridges/testing/trackingServers';
import { repository } from './tools.ts';
import track from './track.ts';

let folder = '';
let [out, errors] = ['', ''];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'track-'));
  [out, errors] = ['', ''];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (out += `${text}\n`));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void (errors += `${text}\n`));
  for (const name of ['WANDB_API_KEY', 'WANDB_BASE_URL', 'MLFLOW_TRACKING_URI', 'MLFLOW_TRACKING_USERNAME'])
    vi.stubEnv(name, '');
  for (const name of ['TRACKIO_SERVER_URL', 'TRACKIO_SPACE_ID', 'TRACKIO_WRITE_TOKEN', 'HF_TOKEN'])
    vi.stubEnv(name, '');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('what can’t be done is refused in one line', () => {
  test.each<[what: string, words: string[], message: RegExp]>([
    ['no directory named', ['--to', 'wandb'], /Name the run directory: npx rl-playground track RUN_DIR/],
    ['two of them', ['RUN', 'other', '--to', 'wandb'], /too many arguments/],
    ['a directory that is not there', ['RUN/none', '--to', 'tensorboard'], /There is no folder .*none/],
    [
      'a file',
      ['RUN/config.json', '--to', 'tensorboard'],
      /config\.json is a file, and a run directory is a folder/,
    ],
    [
      'a folder that is no run',
      ['EMPTY', '--to', 'tensorboard'],
      /is no run directory: it has no config\.json/,
    ],
    [
      'no target',
      ['RUN'],
      /--to: it is not said where to; choose one of: tensorboard, wandb, mlflow, trackio, parquet/,
    ],
    ['an unknown target', ['RUN', '--to', 'neptune'], /--to: "neptune" does not exist; choose one of/],
    ['no key of W&B', ['RUN', '--to', 'wandb'], /needs the key of your account in WANDB_API_KEY/],
    ['no server of MLflow', ['RUN', '--to', 'mlflow'], /needs the address of a tracking server/],
    [
      'a file as MLflow’s server',
      ['RUN', '--to', 'mlflow', '--url', 'sqlite:///x.db'],
      /--url: sqlite:\/\/\/x\.db is no address of a server/,
    ],
    [
      'a key in an option',
      ['RUN', '--to', 'mlflow', '--url', 'http://me:the-pass-word@host'],
      /--url: it holds a key, .*environment\.\n$/,
    ],
    ['no place of Trackio', ['RUN', '--to', 'trackio'], /needs a Space by --space .* or a server by --url/],
    [
      'no token of Trackio',
      ['RUN', '--to', 'trackio', '--url', 'http://127.0.0.1:9'],
      /needs the write token of the server/,
    ],
    [
      'no token of the Hub',
      ['RUN', '--to', 'trackio', '--space', 'a/b'],
      /the Space a\/b needs a token .* in HF_TOKEN/,
    ],
    [
      'no name of a Space',
      ['RUN', '--to', 'trackio', '--space', 'ab'],
      /"ab" is no name of a Space; it must be owner\/name/,
    ],
    [
      'an option of another',
      ['RUN', '--to', 'tensorboard', '--space', 'a/b'],
      /--space means nothing to tensorboard; it takes --name, --dir/,
    ],
    [
      'no completions',
      ['RUN', '--to', 'parquet'],
      /has no completions: rollouts\.jsonl is not there or empty/,
    ],
    [
      'parquet that follows',
      ['RUN', '--to', 'parquet', '--follow'],
      /--follow: a parquet file is written whole/,
    ],
    [
      'no metrics',
      ['NEW', '--to', 'tensorboard'],
      /has no metrics yet: metrics\.jsonl is not there or empty\. --follow waits/,
    ],
  ])('%s', async (_, words, message) => {
    writeTrackedRun(join(folder, 'run'), 1);
    mkdirSync(join(folder, 'empty'));
    writeTrackedRun(join(folder, 'new'), 0);
    writeFileSync(join(folder, 'new', 'metrics.jsonl'), '');
    const paths = words.map((word) =>
      word.replace(/^(RUN|EMPTY|NEW)/, (name) => join(folder, name.toLowerCase())),
    );
    expect(await track(paths)).toBe(2);
    expect(errors).toMatch(message);
    expect(errors.trimEnd().split('\n')).toHaveLength(1);
    expect(errors).not.toContain('the-pass-word');
    expect(existsSync(join(folder, 'run', 'tracking'))).toBe(false);
  });
});

test('sends a run to TensorBoard, where it was asked for', async () => {
  const run = join(folder, 'a run');
  writeTrackedRun(run, 3);
  expect(await track([run, '--to', 'tensorboard', '--dir', join(folder, 'logs')])).toBe(0);
  expect(errors).toBe('');
  expect(out).toMatch(/tensorboard --logdir .*\nsent 8 lines of the log; 8 lines in all\n$/);
  const path = /^(.*): look at it/.exec(out)?.[1] ?? '';
  const wanted = loggedNumbers(run).map(([name, value]) => [name, Math.fround(value)]);
  expect(scalarsOf(readFileSync(path))).toEqual(wanted);
});

/** A process of its own, which can be killed; `server`: of MLflow. */
function tracking(run: string, server: string) {
  const words = ['src/cli/run.mjs', 'track', run, '--to', 'mlflow', '--url', server, '--follow'];
  const child = spawn(process.execPath, words, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (said += text));
  const ended = once(child, 'close') as Promise<[number | null]>;
  return { child, ended, said: () => said };
}

test('a process that follows a run is killed, and who follows it then goes on: each number is there once', async () => {
  const run = join(folder, 'run');
  writeTrackedRun(run, 2, false);
  const server = await mlflowServer();
  try {
    const has = (name: string) => () => server.numbers().some(([found]) => found === name);
    const first = tracking(run, server.url);
    await Promise.race([server.until(has('reward@2')), first.ended.then(() => expect.fail(first.said()))]);
    // What it sends next is kept, and no answer tells it so; nor can it look.
    server.fail('log-batch', 'dropped');
    server.fail('get-history', 'silent');
    appendToLog(run, stepLines(3) + stepLines(4));
    await server.until(() => server.requests.some(({ path }) => path.includes('get-history')));
    expect(has('eval/accuracy@4')()).toBe(true);
    first.child.kill('SIGKILL');
    await first.ended;
    appendToLog(run, stepLines(5));
    const second = track([run, '--to', 'mlflow', '--url', server.url, '--follow']);
    await Promise.race([server.until(has('reward@5')), second.then(() => expect.fail(out + errors))]);
    endTrackedRun(run);
    expect([await second, out]).toEqual([0, expect.stringContaining('sent ')]);
    const sorted = (numbers: [string, number][]) => numbers.toSorted(([a], [b]) => (a < b ? -1 : 1));
    const wanted = loggedNumbers(run).map(([name, value]): [string, number] => [
      name.replace('pass@8', 'pass_at_8'),
      value,
    ]);
    expect(sorted(server.numbers())).toEqual(sorted(wanted));
    expect(server.runs.map(({ status }) => status)).toEqual(['FINISHED']);
  } finally {
    await server.close();
  }
});
