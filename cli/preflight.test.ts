/** The small sibling of `npm run preflight`. */
import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../src/backend/start.ts';
import { wasmPathInNode } from '../src/testing/wasm.ts';
import { preflightAgainstSteps } from './preflight.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

test('the pre-flight of bundled tasks expects about the groups with a signal that the first steps meet, and warns of nothing', async () => {
  const found = [];
  for (const task of ['reverse_digits', 'gcd', 'spell_backward'])
    found.push(await preflightAgainstSteps(task, 3));
  expect(found.map(({ warnings }) => warnings)).toEqual([[], [], []]);
  expect(found.filter(({ holds }) => holds).length).toBeGreaterThanOrEqual(2);
  for (const { mixed, was } of found) expect(Math.abs(was - mixed)).toBeLessThan(0.25);
});
