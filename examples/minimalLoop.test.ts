/** The example learns with each of its losses, by more than chance explains, and runs as a program. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { clippedTokenMean, heldOutRewards, trainStep } from './minimalLoop.ts';
import { createEngine } from '@rl-playground/engine';
import { everyProof, provenBy } from '@rl-playground/base/testing/proofs';
import { captured } from '../src/cli/testing/captured.ts';

/** Four seeds raised the rewards by 0.5 and more with these numbers, which is four standard errors. PROOFS=all trains for longer. */
const [STEPS, PROBLEMS] = everyProof ? [20, 150] : [12, 80];
const root = fileURLToPath(new URL('..', import.meta.url));

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

// The custom loss goes through all that a named one goes through, and back to its own code in between.
test.each(provenBy<'grpo' | 'custom'>(['grpo', 'custom'], ['custom']))(
  '%s: reward on problems never trained on rises',
  async (name) => {
    const open = await createEngine({ model: `${root}public/models/starter`, settings: { seed: 0 } });
    const before = await heldOutRewards(open, PROBLEMS);
    for (let step = 1; step <= STEPS; step++)
      await trainStep(open, step, name === 'custom' ? clippedTokenMean(open) : name);
    const after = await heldOutRewards(open, PROBLEMS);
    open.dispose();
    expect(after).toHaveLength(PROBLEMS);
    // The same problems before and after: what each has gained, and the standard error of the mean of that.
    const gains = after.map((reward, i) => reward - (before[i] ?? NaN));
    const gain = mean(gains);
    const error = Math.sqrt(mean(gains.map((one) => (one - gain) ** 2)) / (PROBLEMS - 1));
    expect(gain).toBeGreaterThan(3 * error);
  },
);

/** The output of the example as a program. PROOFS=all bundles it like other programs and runs it in a process. */
async function printed(...words: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const path = `${root}examples/inNode.ts`;
  if (everyProof) {
    const args = ['src/cli/run.mjs', 'examples/inNode', ...words];
    return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  }
  const argv = vi.spyOn(process, 'argv', 'get').mockReturnValue([process.execPath, path, ...words]);
  onTestFinished(() => argv.mockRestore());
  // It runs while it is loaded, and again under another address.
  const { stdout, stderr } = await captured(() => import(`${path}?run`).then(() => 0));
  return { stdout, stderr };
}

test('as a program it says what each step earned', async () => {
  const run = await printed('--steps', '1', '--loss', 'custom');
  expect(run.stderr).toBe('');
  const number = String.raw`-?\d\.\d{3}`;
  const lines = [`held-out reward ${number}`, `step 1 {2}reward ${number}`];
  expect(run.stdout).toMatch(new RegExp([...lines, lines[0]].join('\n')));
});

test('it is short, and imports nothing of ours but the engine API', () => {
  const text = readFileSync(`${root}examples/minimalLoop.ts`, 'utf8');
  expect(text.split('\n').length).toBeLessThan(150);
  const sources = [...text.matchAll(/from '([^']+)'/g)].map(([, source]) => source);
  expect(sources).toEqual(['@rl-playground/engine', '@rl-playground/tasks']);
});
