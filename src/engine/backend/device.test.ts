/** The choice of an adapter. */
import { afterEach, expect, test, vi } from 'vitest';
import { findAdapter } from './device.ts';

const NVIDIA = { info: { vendor: 'nvidia', architecture: '', device: '', description: '' } };

/** Stubs a browser that answers requests for an adapter with these values, one after the other. */
function askedOf(answers: readonly unknown[]) {
  const left = [...answers];
  const requestAdapter = vi.fn<() => Promise<unknown>>(async () => Promise.resolve(left.shift() ?? null));
  vi.stubGlobal('navigator', { gpu: { requestAdapter } });
  return requestAdapter;
}

afterEach(() => vi.unstubAllGlobals());

test('is asked for again where a browser has none at first, as Chrome on Linux does while its GPU process starts', async () => {
  askedOf([null, NVIDIA]);
  expect(await findAdapter()).toMatchObject({ adapter: NVIDIA, name: 'NVIDIA', software: false });
});

test('is none where the browser has none the second time either, or no WebGPU', async () => {
  const requestAdapter = askedOf([null, null, NVIDIA]);
  expect(await findAdapter()).toBeNull();
  expect(requestAdapter).toHaveBeenCalledTimes(2);
  vi.stubGlobal('navigator', {});
  expect(await findAdapter()).toBeNull();
});
