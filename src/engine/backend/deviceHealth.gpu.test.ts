/** Troubles of a real device: each is made to happen. */
import { beforeEach, expect, test } from 'vitest';
import { backendLost, checkBackend } from './backendHealth.ts';
import { MemoryError } from './memoryError.ts';
import { onDeviceProblem, type DeviceProblem } from './deviceHealth.ts';
import { gpuDispatcher } from './dispatch.ts';
import { closeGpu, startBackend } from './start.ts';
import * as tf from './tf.ts';

const currentDevice = (): GPUDevice => gpuDispatcher(tf.backend()).device;

beforeEach(async () => {
  closeGpu();
  await startBackend('webgpu');
});

test('a sound device passes, recorded work and all', async () => {
  const sum = tf.add([1, 2], [3, 5]);
  await checkBackend();
  expect([...(await sum.data())]).toEqual([4, 7]);
});

test('a failed call is told once, with the first of what it led to', async () => {
  const heard: DeviceProblem[] = [];
  const stop = onDeviceProblem((problem) => heard.push(problem));
  const device = currentDevice();
  device.createBuffer({ size: 2 * device.limits.maxBufferSize, usage: GPUBufferUsage.STORAGE });
  // Other usages than a device has.
  device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
  await expect(checkBackend()).rejects.toThrow(/reported an error: .*(size|limit)/s);
  stop();
  expect(heard.map(({ kind }) => kind)).toEqual(['error', 'error']);
  await checkBackend();
  expect(backendLost()).toBe(false);
});

test('a tensor larger than the device allows is refused before it is asked for, with both numbers', async () => {
  const { maxBufferSize, maxStorageBufferBindingSize } = currentDevice().limits;
  const allowed = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  const digits = (bytes: number): string => new Intl.NumberFormat('en-US').format(bytes);
  const make = (): tf.Tensor => tf.tile([1], [allowed / 4 + 1]);
  expect(make).toThrow(MemoryError);
  expect(make).toThrow(
    `needs a GPU buffer of ${digits(allowed + 4)} bytes; this GPU allows ${digits(allowed)}`,
  );
  await checkBackend();
});

test('a destroyed device is lost for good, until another is started', async () => {
  currentDevice().destroy();
  await expect(checkBackend()).rejects.toMatchObject({ name: 'DeviceError', kind: 'lost' });
  await expect(checkBackend()).rejects.toThrow('was lost');
  expect(backendLost()).toBe(true);
  await startBackend('webgpu');
  await checkBackend();
  expect([...(await tf.add([1, 2], [3, 5]).data())]).toEqual([4, 7]);
});

test('a device that is given up is no problem', async () => {
  const heard: DeviceProblem[] = [];
  const stop = onDeviceProblem((problem) => heard.push(problem));
  const device = currentDevice();
  closeGpu();
  await device.lost;
  await startBackend('webgpu');
  await checkBackend();
  stop();
  expect(heard).toEqual([]);
});

const buffers = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `@group(0) @binding(${i}) var<storage, read_write> b${i}: array<f32>;`,
  ).join('\n');
const touches = (count: number): string =>
  Array.from({ length: count }, (_, i) => `b${i}[0] = 1.0;`).join(' ');

test('by default limits, a kernel that takes all of one is compiled, and one beyond it is refused with both numbers', async () => {
  closeGpu();
  await startBackend('webgpu', { limits: 'default' });
  const device = currentDevice();
  const compile = async (code: string): Promise<void> => {
    const module = device.createShaderModule({ code });
    device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    await checkBackend();
  };
  const kernels: readonly (readonly [limit: number, code: (size: number) => string, refusal: RegExp])[] = [
    [
      4096,
      (size) =>
        `var<workgroup> shared_: array<f32, ${size}>; @compute @workgroup_size(1) fn main() { shared_[0] = 1.0; }`,
      /storage \(16400 bytes\).* allowed \(16384 bytes\)/,
    ],
    [256, (size) => `@compute @workgroup_size(${size}) fn main() {}`, /257.*256/],
    [8, (size) => `${buffers(size)}\n@compute @workgroup_size(1) fn main() { ${touches(size)} }`, /9.*8/],
  ];
  for (const [limit, code, refusal] of kernels) {
    await compile(code(limit));
    await expect(compile(code(limit + 1))).rejects.toThrow(refusal);
  }
});
