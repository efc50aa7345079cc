import { expect, it } from 'vitest';
import { smoothingOf } from './chartsStore.ts';

it('reads the smoothing that was kept, and takes nothing else', () => {
  for (const kept of [0, 0.5, 0.99]) expect(smoothingOf(String(kept))).toBe(kept);
  for (const text of [null, '', '{', 'null', '7', '1.5', '-0.1', 'NaN']) expect(smoothingOf(text)).toBe(0.8);
});
