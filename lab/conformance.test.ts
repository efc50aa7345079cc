import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captured } from '../src/cli/testing/captured.ts';
import conformance from './conformance.ts';
import { deviatesTooMuch } from './conformanceData.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('says that the data is absent', async () => {
  const { code, stdout, stderr } = await captured(conformance, join(folder, 'nowhere'));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('nothing was compared');
});

it('names the rows that deviate, counts them and ends with 1', async () => {
  const data = join(folder, 'data');
  for (const part of ['rg/scores', 'math']) mkdirSync(join(data, part), { recursive: true });
  writeFileSync(join(data, 'rg/scores/unheard_of.jsonl'), '');
  const rows = [
    { id: 'right', input: 'It is 1,000.', output: 1000 },
    { id: 'wrong', input: 'It is 12.', output: 13 },
  ];
  writeFileSync(
    join(data, 'math/arithmetic_extract_final_int.jsonl'),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  );
  const { code, stdout, stderr } = await captured(conformance, data);
  expect(code).toBe(1);
  expect(stdout).toMatch(/arithmetic_extract_final_int +2 +1 +1 {2}TOO MANY DEVIATE/);
  expect(stdout).toContain('wrong: output is 13, found 12');
  expect(stdout).not.toContain('right:');
  expect(stdout).toContain('unheard_of');
  expect(stdout).toMatch(/cases after math-verify +59 +59 +0\n/);
  expect(stderr).toContain('math/arithmetic_extract_final_int');
});

it('allows one row in a hundred', () => {
  const result = { dataset: 'a', rows: 200, reason: null, leftOut: null };
  expect(deviatesTooMuch({ ...result, deviations: ['1', '2'] })).toBe(false);
  expect(deviatesTooMuch({ ...result, deviations: ['1', '2', '3'] })).toBe(true);
  expect(deviatesTooMuch({ ...result, rows: 0, deviations: [] })).toBe(true);
});
