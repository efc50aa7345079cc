import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { jsonText } from '@rl-playground/base/json';
import { SETTINGS_VERSION, versionNote } from '@rl-playground/run/settings';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { evalFiles } from '@rl-playground/run/records';
import { recordedLesson } from '@rl-playground/run/testing/recordedLessons';
import { writeTrackedRun, TRACKED_CONFIG } from '@rl-playground/run/testing/trackedRuns';
import { writeStart } from './startRecord.ts';
import report from './report.ts';

let folder = '';
let errors = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  errors = '';
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation((text: string) => void (errors += `${text}\n`));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const at = (name: string): string => join(folder, name);

/** A run directory of six steps with the evaluations of a recorded run, under a seed. */
function writeRun(name: string, seed: number, lesson: number): void {
  writeTrackedRun(at(name), 6);
  writeFileSync(
    join(at(name), RUN_DIRECTORY.config),
    jsonText({ ...TRACKED_CONFIG, seed, learningRate: seed < 2 ? 1e-4 : 2e-4 }),
  );
  const evaluations = recordedLesson('group-size')[lesson]?.evaluations ?? [];
  mkdirSync(join(at(name), 'eval_results'));
  for (const [file, value] of evalFiles(evaluations)) writeFileSync(join(at(name), file), jsonText(value));
}

test('a run directory becomes one file', async () => {
  writeRun('calm-fox', 0, 0);
  const out = at('out/report.html');
  expect(
    await report([at('calm-fox'), '--out', out, '--note', 'a <b>note', '--page', 'https://x.org/p/?a=1#b']),
  ).toBe(0);
  const text = readFileSync(out, 'utf8');
  expect(text).toContain('<title>Greatest common divisor with starter-gym</title>');
  expect(text).toContain('95.0% (88.8% to 97.8%)');
  expect(text).toContain('a &lt;b&gt;note');
  expect(text).toContain(`href="https://x.org/p/?v=${SETTINGS_VERSION}&amp;`);
});

test('a run of another version of the settings is said to be one', async () => {
  writeRun('a', 0, 0);
  writeStart(at('a'), { backend: 'wasm', full: false, model: null });
  expect(await report([at('a'), '--out', at('r.html')])).toBe(0);
  expect(readFileSync(at('r.html'), 'utf8')).not.toContain('of the settings');
  const start = JSON.parse(readFileSync(at('a/run.json'), 'utf8')) as object;
  writeFileSync(at('a/run.json'), jsonText({ ...start, settings_version: 5 }));
  expect(await report([at('a'), '--out', at('r.html')])).toBe(0);
  expect(readFileSync(at('r.html'), 'utf8')).toContain(versionNote('The run', 5));
});

test('seeds become one arm, and other settings another', async () => {
  writeRun('a', 0, 0);
  writeRun('b', 1, 1);
  writeRun('c', 2, 1);
  expect(await report([at('a'), at('b'), at('c'), '--out', at('r.html')])).toBe(0);
  const text = readFileSync(at('r.html'), 'utf8');
  expect(text).toContain('<title>Greatest common divisor with starter-gym: 3 runs</title>');
  expect(text).toContain('against a (2 seeds)');
});

test.each<[string, string[], RegExp]>([
  ['no folder', ['--out', 'OUT'], /Name at least one run directory/],
  ['no file to write', ['RUN'], /--out: name the file/],
  ['a folder that is not there', ['RUN/none', '--out', 'OUT'], /There is no folder .*none/],
  ['a folder without a run', ['EMPTY', '--out', 'OUT'], /is no run directory: it has no config\.json/],
  ['a damaged log', ['BROKEN', '--out', 'OUT'], /metrics\.jsonl: line 1/],
  [
    'an address that is none',
    ['RUN', '--out', 'OUT', '--page', 'javascript:alert(1)'],
    /is no address of a page/,
  ],
])('%s is refused in one line, and nothing is written', async (_, words, message) => {
  writeRun('run', 0, 0);
  writeRun('broken', 0, 0);
  writeFileSync(join(at('broken'), RUN_DIRECTORY.metrics), '{"step":\n');
  mkdirSync(at('empty'));
  const places: Record<string, string> = {
    RUN: at('run'),
    EMPTY: at('empty'),
    BROKEN: at('broken'),
    OUT: at('r.html'),
  };
  const given = words.map((word) => word.replace(/^[A-Z]+/, (name) => places[name] ?? name));
  expect(await report(given)).toBe(2);
  expect(errors).toMatch(message);
  expect(errors.trimEnd()).not.toContain('\n');
  expect(existsSync(at('r.html'))).toBe(false);
});
