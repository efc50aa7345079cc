import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import handoff from './handoff.ts';

const scratch = mkdtempSync(join(tmpdir(), 'rl-playground-handoff-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());

/** The exit code, and all that was printed. */
async function run(...words: string[]): Promise<{ code: number; said: string }> {
  const lines: unknown[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line));
  const code = await handoff(words);
  return { code, said: lines.join('\n') };
}

it.each<[string, readonly string[], RegExp]>([
  ['no run', [], /Name a run directory or a checkpoint/],
  ['no trainer', ['runs/a'], /--to is missing; choose one of: trl, verl, prime-rl/],
  ['another trainer', ['runs/a', '--to', 'openrlhf'], /'openrlhf' is invalid/],
  ['no folder', ['runs/a', '--to', 'trl'], /--out is missing/],
  [
    'an update of a trainer that needs a GPU',
    ['runs/a', '--to', 'verl', '--out', 'x', '--verify'],
    /--to is verl/,
  ],
  ['no such run', [join(scratch, 'none'), '--to', 'trl', '--out', join(scratch, 'x')], /does not exist/],
])('refuses %s', async (_, words, message) => {
  const { code, said } = await run(...words);
  expect([code, said]).toEqual([2, expect.stringMatching(message)]);
});

it('leaves a folder with files as it is', async () => {
  writeFileSync(join(scratch, 'mine'), '');
  const { code, said } = await run('runs/a', '--to', 'trl', '--out', scratch);
  expect([code, said]).toEqual([2, expect.stringContaining('holds files already')]);
});

it('says which tasks can be handed over, and what scores them', async () => {
  const { code, said } = await run('--list-tasks');
  expect(code).toBe(0);
  expect(said).toMatch(/^gsm8k +math-verify$/m);
  expect(said).toMatch(/^tower_of_hanoi +reasoning-gym$/m);
  expect(said).toMatch(/^rpn_arithmetic +rules of its own$/m);
});

it('refuses a model that no run has changed', async () => {
  const { code, said } = await run('starter', '--to', 'trl', '--out', join(scratch, 'model'));
  expect([code, said]).toEqual([2, expect.stringContaining('starter holds no run')]);
});
