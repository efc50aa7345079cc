/** What a machine sends back as the run of a sweep, and what it must not be. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { jsonText } from '../../src/base/json.ts';
import { settingsOf } from '../settingWords.ts';
import { unpackRun } from './runParcel.ts';

const place = mkdtempSync(join(tmpdir(), 'rl-playground-parcel-'));
afterAll(() => rmSync(place, { recursive: true }));

const CONFIG = settingsOf('sum_digits', 1, ['numSteps=2']);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const zipOf = (files: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytes(text)])));
const settings = { 'config.json': jsonText(CONFIG) };

test('a run directory is written as it came', async () => {
  const folder = join(place, 'sound');
  await unpackRun(zipOf({ ...settings, 'logs/metrics.jsonl': '{}' }), folder, CONFIG);
  expect(readFileSync(join(folder, 'logs/metrics.jsonl'), 'utf8')).toBe('{}');
});

test.each([
  ['above it', '../outside.txt'],
  ['by its whole path', join(place, 'outside.txt')],
  ['below it and up again', 'logs/../../outside.txt'],
])('a file that leads out of the folder, %s, is refused and not written', async (_, name) => {
  const folder = join(place, 'run');
  await expect(unpackRun(zipOf({ ...settings, [name]: 'x' }), folder, CONFIG)).rejects.toThrow(
    /lies outside of it|leads out|outside|path/i,
  );
  expect(existsSync(join(place, 'outside.txt'))).toBe(false);
});

test('a run of other settings, or of none, is refused', async () => {
  const other = zipOf({ 'config.json': jsonText({ ...CONFIG, seed: 2 }) });
  await expect(unpackRun(other, join(place, 'other'), CONFIG)).rejects.toThrow(
    'of a run with other settings',
  );
  await expect(unpackRun(zipOf({ 'a.txt': 'x' }), join(place, 'none'), CONFIG)).rejects.toThrow(
    'config.json',
  );
});
