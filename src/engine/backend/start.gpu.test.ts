import { expect, test } from 'vitest';
import { onDeviceProblem } from './deviceHealth.ts';
import { gpuDispatcher } from './dispatch.ts';
import { WEBGPU_BACKEND } from './kernelRegistry.ts';
import { gpuBytes } from './memory.ts';
import { closeGpu, startBackend } from './start.ts';
import * as tf from './tf.ts';

const wasmPath = '/wasm/';

async function sum(): Promise<number[]> {
  return [...(await tf.add([1, 2], [3, 5]).data())];
}

test('forced WebGPU runs on any adapter and says when it is a software one', async () => {
  const info = await startBackend('webgpu');
  expect(info).toMatchObject({ backend: 'webgpu', threads: 1, available: ['webgpu', 'wasm'] });
  expect(info.line).toMatch(info.software ? /\(software\) · / : / · .* GB buffers$/);
  expect(tf.getBackend()).toBe(WEBGPU_BACKEND);
  expect(await sum()).toEqual([4, 7]);
  expect(gpuBytes()).toBeGreaterThan(0);
});

test('without a choice, a hardware adapter means WebGPU and a software one wasm', async () => {
  const forced = await startBackend('webgpu');
  const free = await startBackend(null, { wasmPath, threads: 2 });
  expect(free.backend).toBe(forced.software ? 'wasm' : 'webgpu');
});

test('switches to wasm and back; tensors stay with their backend', async () => {
  await startBackend('webgpu');
  const onGpu = tf.square([3]);
  const info = await startBackend('wasm', { wasmPath, threads: 2 });
  const isolated = globalThis.crossOriginIsolated;
  expect(info).toMatchObject({ backend: 'wasm', threads: isolated ? 2 : 1 });
  expect(info.line).toMatch(/: running on CPU|Running on CPU/);
  expect(info.line).toMatch(isolated ? /2 threads$/ : /threads off: page is not cross-origin isolated$/);
  expect(await sum()).toEqual([4, 7]);
  expect(gpuBytes()).toBeNull();
  await startBackend('webgpu');
  expect([...(await onGpu.data())]).toEqual([9]);
});

for (const backend of ['webgpu', 'wasm'] as const) {
  test(`starts ${backend} in a worker`, async () => {
    const worker = new Worker(new URL('./checks/start.worker.ts', import.meta.url), { type: 'module' });
    const answer = await new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => resolve(data));
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      worker.postMessage(backend);
    });
    worker.terminate();
    expect(answer).toMatchObject({ sum: [4, 7] });
  });
}

test('a failed call is reported to listeners until they unsubscribe', async () => {
  await startBackend('webgpu');
  const { device } = gpuDispatcher(tf.engine().backend);
  const messages: string[] = [];
  const stop = onDeviceProblem(({ message }) => messages.push(message));
  const breakCall = async () => {
    device.createShaderModule({ code: 'this is no shader' });
    await device.queue.onSubmittedWorkDone();
  };
  await breakCall();
  stop();
  await breakCall();
  expect(messages).toEqual([expect.stringContaining('reported an error')]);
});

test('a new start after the device is gone opens a new one', async () => {
  await startBackend('webgpu');
  const { device } = gpuDispatcher(tf.engine().backend);
  device.destroy();
  await device.lost;
  await startBackend('webgpu');
  expect(gpuDispatcher(tf.engine().backend).device).not.toBe(device);
  expect(await sum()).toEqual([4, 7]);
});

test('work left over from a device that was given up fails, and holds the next one up in nothing', async () => {
  await startBackend('webgpu');
  closeGpu();
  const said: string[] = [];
  const leftOver = (): void => {
    try {
      tf.add([1, 2], [3, 5]);
    } catch (error) {
      said.push(String(error));
    }
  };
  leftOver();
  const started = startBackend('webgpu');
  leftOver();
  await started;
  expect(await sum()).toEqual([4, 7]);
  expect(said).toHaveLength(2);
  expect(said.join()).not.toContain('has not yet been initialized');
});
