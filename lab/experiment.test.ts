import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { captured } from '../src/cli/testing/captured.ts';
import { setCustomTasks } from '@rl-playground/tasks/parts';
import experiment from './experiment.ts';

const folder = mkdtempSync(join(tmpdir(), 'rl-playground-experiment-'));
afterAll(() => {
  setCustomTasks([]);
  rmSync(folder, { recursive: true, force: true });
});

test('a file makes a task of the user\u2019s own, which trains', async () => {
  const mine = join(folder, 'my sums.jsonl');
  const rows = Array.from({ length: 60 }, (_, i) => ({ sum: `${i} + ${i}`, total: 2 * i }));
  writeFileSync(mine, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const words = ['--data', mine, '--data-columns', 'question=sum,answer=total', '--grader', 'number'];
  const small = ['numSteps=1', 'problemsPerStep=1', 'rolloutsPerProblem=2', 'maxTokens=4', 'evalSamples=1'];
  const run = ['--task', 'own:sums', '--seeds', '0', ...words, ...small, 'evalEvery=0'];
  const { code, stdout } = await captured(experiment, ...run);
  expect(code).toBe(0);
  expect(stdout).toContain('own:sums: 60 rows of my sums.jsonl');
  expect(stdout.trim().split('\n').at(-1)).toMatch(/\| own:sums \| 0 \| 1 \|/);
});
