/** The small sibling of `npm run lab -- preflight`. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { provenBy } from '@rl-playground/base/testing/proofs';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { preflightAgainstSteps } from './preflight.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

test('the pre-flight of bundled tasks expects about the groups with a signal that the first steps meet, and warns of nothing', async () => {
  const found = [];
  const tasks = provenBy(
    ['reverse_digits', 'palindrome_generation', 'gcd', 'spell_backward'],
    ['reverse_digits', 'palindrome_generation'],
  );
  for (const task of tasks) found.push(await preflightAgainstSteps(task, 3));
  expect(found.map(({ warnings }) => warnings)).toEqual(tasks.map(() => []));
  // One in twenty lies outside by chance.
  expect(found.filter(({ holds }) => holds).length).toBeGreaterThanOrEqual(tasks.length - 1);
  for (const { mixed, was } of found) expect(Math.abs(was - mixed)).toBeLessThan(0.25);
});
