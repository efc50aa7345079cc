import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderTaken, LOCK_FILE, lockFolder } from './runLock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rl-playground-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lock = (): string => join(folder, LOCK_FILE);

/** The lock of a process, as it would have written it. */
function lockOf(pid: number, { host = hostname(), started = null as string | null } = {}): void {
  writeFileSync(lock(), JSON.stringify({ pid, host, started, since: '2026-01-02T03:04:05.000Z' }));
}

/** The number of a process that has ended. */
const ended = (): number => spawnSync(process.execPath, ['--version']).pid;

test('is held by one, and goes when that one lets go', () => {
  const release = lockFolder(folder);
  expect(JSON.parse(readFileSync(lock(), 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
  expect(() => lockFolder(folder)).toThrow(FolderTaken);
  expect(() => lockFolder(folder)).toThrow(`in use by another run (process ${process.pid}, since `);
  release();
  expect(readdirSync(folder)).toEqual([]);
  lockFolder(folder)();
});

test('of a process that is gone is taken over', () => {
  lockOf(ended());
  const release = lockFolder(folder);
  expect(JSON.parse(readFileSync(lock(), 'utf8'))).toMatchObject({ pid: process.pid });
  expect(readdirSync(folder)).toEqual([LOCK_FILE]);
  release();
});

test('of a process that runs is respected, and not of an earlier one of the same number', async ({
  skip,
}) => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    await once(other, 'spawn');
    lockOf(other.pid ?? 0);
    expect(() => lockFolder(folder)).toThrow(`process ${other.pid}`);
    if (!existsSync('/proc/self/stat')) skip('Only Linux says when a process started.');
    lockOf(other.pid ?? 0, { started: 'another boot 123' });
    lockFolder(folder)();
  } finally {
    other.kill('SIGKILL');
    await once(other, 'exit');
  }
});

test('of another machine is respected, with what to do', () => {
  lockOf(ended(), { host: 'elsewhere' });
  expect(() => lockFolder(folder)).toThrow(
    /process \d+ on elsewhere; if it has ended there, remove .*run\.lock/,
  );
});

test('that says nothing is respected', () => {
  writeFileSync(lock(), '');
  expect(() => lockFolder(folder)).toThrow(/run\.lock is there\. If no run writes/);
});

test('of several that take it over, one gets it', async () => {
  lockOf(ended());
  // What another process has while it takes over.
  writeFileSync(join(folder, `${LOCK_FILE}.takeover`), readFileSync(lock()));
  expect(() => lockFolder(folder)).toThrow(/run\.lock\.takeover is there/);
});
