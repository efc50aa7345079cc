import { zipSync } from 'fflate';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeRunDirectory } from './runDirectory.ts';

let scratch = '';
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'rl-playground-run-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

test('writes every file of the zip into the folder itself', () => {
  const config = new TextEncoder().encode('{"seed":0}');
  const zip = zipSync({ 'config.json': config, 'eval_results/eval_step_0.json': new Uint8Array([123, 125]) });
  const folder = join(scratch, 'new', 'run');
  expect(writeRunDirectory(folder, zip)).toEqual(['config.json', 'eval_results/eval_step_0.json']);
  expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe('{"seed":0}');
  expect(readFileSync(join(folder, 'eval_results', 'eval_step_0.json'), 'utf8')).toBe('{}');
});

test('refuses a file that would land outside, and writes nothing', () => {
  const zip = zipSync({ 'a.json': new Uint8Array([1]), '../outside.json': new Uint8Array([2]) });
  expect(() => writeRunDirectory(join(scratch, 'run'), zip)).toThrow('../outside.json');
  expect(readdirSync(scratch)).toEqual([]);
});
