import { expect, test } from 'vitest';
import { wasmPathInNode } from '../testing/wasm.ts';
import { startBackend } from './start.ts';
import * as tf from './tf.ts';

test('starts wasm in Node and says that no GPU was found', async () => {
  const info = await startBackend(null, { wasmPath: wasmPathInNode });
  expect(info).toEqual({
    backend: 'wasm',
    line: 'No GPU found: running on CPU (wasm), SIMD, 1 thread',
    software: true,
    threads: 1,
    available: ['wasm'],
  });
  expect(tf.getBackend()).toBe('wasm');
  expect([...(await tf.add([1, 2], [3, 5]).data())]).toEqual([4, 7]);
});

test('refuses WebGPU without an adapter and says what to do', async () => {
  await expect(startBackend('webgpu')).rejects.toThrow('offers no GPU adapter');
});
