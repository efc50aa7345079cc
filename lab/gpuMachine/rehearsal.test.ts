/** A short form of `npm run lab -- gpu --rehearse`: a browser, Vitest in it, and the rows that they come to. */
import { expect, test } from 'vitest';
import { chosenParts } from '../gpu.ts';
import { runParts } from './budget.ts';
import { allParts } from './parts.ts';
import { lookAround } from './place.ts';
import type { WrittenRow } from './rows.ts';
import type { Setup } from './setup.ts';

/** A budget that no stall uses up. */
const SECONDS = 1e5;

test('the adapter is described, and a suite of kernels passes in its browser', async () => {
  const words = { rehearse: true, model: null, python: null, without: null };
  const setup: Setup = { ...words, place: lookAround(null), adapter: null };
  const rows: WrittenRow[] = [];
  await runParts(chosenParts(allParts(setup), ['kernels']), {
    seconds: SECONDS,
    stop: new AbortController().signal,
    write: (row) => rows.push(row),
  });
  expect(setup.adapter?.limits['maxComputeInvocationsPerWorkgroup']).toBeGreaterThanOrEqual(256);
  const told = rows.map(({ part, name, value, note }) => `${part}: ${name}: ${value ?? note}`);
  expect(told).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^adapter: browser: .*Chrom/),
      expect.stringMatching(/^adapter: subgroups: (\d+(, \d+)*|none)$/),
    ]),
  );
  expect(told.slice(-2)).toEqual(['kernels: src/engine/kernels/kernels.gpu.test.ts: 4', 'kernels: all: 4']);
});
