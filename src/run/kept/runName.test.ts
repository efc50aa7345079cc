import { expect, it } from 'vitest';
import { newRunId, runBegan, runName } from './runName.ts';

it('names a run by its id: two words and a number, the same every time', () => {
  expect(runName('mfx1a2b3-0a1b2c3d')).toBe(runName('mfx1a2b3-0a1b2c3d'));
  for (let i = 0; i < 200; i++) expect(runName(newRunId(i))).toMatch(/^[a-z]+-[a-z]+-[1-9]\d?$/);
});

it('gives different runs different names, nearly always', () => {
  const names = new Set(Array.from({ length: 1000 }, (_, i) => runName(`${i.toString(36)}-abcdef01`)));
  // Of 73 × 82 × 99 names, 1,000 draws share about 0.8.
  expect(names.size).toBeGreaterThanOrEqual(995);
});

it('reads from an id when its run began', () => {
  expect(runBegan(newRunId(1_790_000_000_000))).toBe(1_790_000_000_000);
  expect(runBegan('!')).toBe(0);
});
