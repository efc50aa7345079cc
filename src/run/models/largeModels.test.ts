import { expect, test } from 'vitest';
import { largeModelSettings } from './adapterSettings.ts';

test('large models are trained by LoRA unless it is on already, small ones whole', () => {
  expect(largeModelSettings(135_000_000, { loraRank: 0 })).toEqual({ loraRank: 32, numGenerators: 1 });
  expect(largeModelSettings(135_000_000, { loraRank: 8 })).toBeNull();
  expect(largeModelSettings(300_000, { loraRank: 0 })).toBeNull();
  expect(largeModelSettings(null, { loraRank: 0 })).toBeNull();
});
