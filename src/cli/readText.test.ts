/** Files of any size in the place of settings and logs: refused by their size, in our words. The files are sparse, and take no disk. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTrackedRun } from '@rl-playground/run/testing/trackedRuns';
import { linesOf, readText } from '@rl-playground/run/disk';
import { recordedRun } from './recordedRun.ts';
import sweep from './sweep.ts';
import { captured } from './testing/captured.ts';
import train from './train.ts';
import { RunLineReader } from '@rl-playground/bridges/trackers';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'rl-playground-sizes-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function sparse(name: string, bytes: number): string {
  const path = join(folder, name);
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
}

test('a text is read up to the most that is asked for', () => {
  const path = join(folder, 'a.txt');
  writeFileSync(path, 'grüß');
  expect(readText(path, 6)).toBe('grüß');
  truncateSync(path, 3 * 2 ** 20);
  expect(() => readText(path, 2 ** 21)).toThrow(/a\.txt has 3 MB, and at most 2 MB of such a file are read/);
  expect(() => readText(folder)).toThrow(/is no file/);
});

test('a pipe is read up to the same', () => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  /** Writes from a process of its own, because opening a pipe waits for its other end. */
  const write = (bytes: string) => spawn('sh', ['-c', `head -c ${bytes} /dev/zero > "$0"`, path]);
  write('1M');
  expect(readText(path, 2 ** 20)).toHaveLength(2 ** 20);
  write('1G');
  expect(() => readText(path, 2 ** 20)).toThrow(/pipe gave more than the 1 MB that are read of such a file/);
});

test('settings and grids of a gigabyte', async () => {
  const path = sparse('settings.yaml', 2 ** 30);
  const said = /settings\.yaml has 1 GB, and at most 16 MB of such a file are read/;
  for (const start of [
    () => captured(train, '--config', path),
    () => captured(sweep, path, '--out', folder),
  ]) {
    const { code, stderr } = await start();
    expect(stderr).toMatch(said);
    expect(code).toBe(2);
  }
});

test('a log of two gigabytes, for a report and for a tracker', () => {
  writeTrackedRun(folder, 1);
  truncateSync(join(folder, 'metrics.jsonl'), 2 ** 31);
  const said = /metrics\.jsonl has 2 GB, and at most 256 MB/;
  expect(() => recordedRun(folder)).toThrow(said);
  expect(() => new RunLineReader(folder, 0).read()).toThrow(said);
});

test('a line that does not end', async () => {
  const path = sparse('rows.jsonl', 2 ** 30);
  await expect(linesOf(path).next()).rejects.toThrow(
    /rows\.jsonl has a line of more than 67,108,864 characters/,
  );
});
