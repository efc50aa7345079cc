import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isBuilt } from '../../src/cli/build.ts';

let root = '';

/** Makes or touches a path below the root and sets its time, in minutes. */
function put(path: string, minutes: number, kind: 'file' | 'folder' = 'file'): void {
  const full = join(root, path);
  if (kind === 'folder') mkdirSync(full, { recursive: true });
  else writeFileSync(full, '');
  utimesSync(full, minutes * 60, minutes * 60);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rl-playground-build-'));
  mkdirSync(join(root, 'dist'));
  mkdirSync(join(root, 'src'));
  put('dist/index.html', 20);
  put('src/main.ts', 10);
  put('index.html', 10);
  put('src', 10, 'folder');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a page that is newer than its sources is built', () => {
  expect(isBuilt(root)).toBe(true);
});

test('it is not when the page is missing', () => {
  rmSync(join(root, 'dist'), { recursive: true });
  expect(isBuilt(root)).toBe(false);
});

test.each(['src/main.ts', 'index.html'])('it is not when %s is newer', (path) => {
  put(path, 30);
  expect(isBuilt(root)).toBe(false);
});

test('it is not when a source was deleted since', () => {
  rmSync(join(root, 'src/main.ts'));
  expect(isBuilt(root)).toBe(false);
});

test('a newer test does not count', () => {
  put('src/main.test.ts', 30);
  put('src', 10, 'folder');
  expect(isBuilt(root)).toBe(true);
});
