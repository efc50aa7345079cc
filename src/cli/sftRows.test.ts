import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { readSftFiles } from './dataWords.ts';

const folder = mkdtempSync(join(tmpdir(), 'warm-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

const config = (warmStartData: string, warmStartSteps = 3) => ({
  ...defaultConfig('sum_digits'),
  warmStartSteps,
  warmStartData,
});

test('a path becomes the name of its file, and the rows come along', () => {
  const path = join(folder, 'sums.jsonl');
  writeFileSync(path, '{"prompt": "1 2", "completion": "3"}\n');
  expect(readSftFiles(config(path))).toEqual({
    config: config('sums.jsonl'),
    file: { name: 'sums.jsonl', rows: [{ prompt: [{ role: 'user', content: '1 2' }], completion: '3' }] },
  });
});

test('demonstrations, and a run without a warm-up, need no file', () => {
  expect(readSftFiles(config('demonstrations'))).toEqual({
    config: config('demonstrations'),
    file: null,
  });
  expect(readSftFiles(config('/nowhere/rows.jsonl', 0)).file).toBeNull();
});

test('what can not be read or learned from is refused with its reason', () => {
  expect(() => readSftFiles(config(join(folder, 'none.jsonl')))).toThrow(
    /none\.jsonl" can't be read .*ENOENT/,
  );
  const path = join(folder, 'bad.jsonl');
  writeFileSync(path, '{"prompt": "1 2"}\n');
  expect(() => readSftFiles(config(path))).toThrow(/lines of bad\.jsonl can’t be learned from\. Line 1:/);
});
