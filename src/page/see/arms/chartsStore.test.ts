import { expect, it } from 'vitest';
import { chartViewOf } from './chartsStore.ts';

const USUAL = { smoothing: 0.8, pinned: [], log: [], bands: [] };

it('reads what was kept, and takes nothing else', () => {
  const kept = { smoothing: 0, pinned: ['entropy'], log: ['loss'], bands: [] };
  expect(chartViewOf(JSON.stringify(kept))).toEqual(kept);
  for (const text of [null, '', '{', 'null', '7', '{"smoothing":1.5,"pinned":"entropy","log":[3]}'])
    expect(chartViewOf(text)).toEqual(USUAL);
});
