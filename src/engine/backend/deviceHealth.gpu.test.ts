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

test('by default limits, buffers are what WebGPU promises everywhere', async () => {
  closeGpu();
  await startBackend('webgpu', { limits: 'default' });
  const { maxBufferSize, maxStorageBufferBindingSize } = currentDevice().limits;
  expect([maxBufferSize, maxStorageBufferBindingSize]).toEqual([256 * 2 ** 20, 128 * 2 ** 20]);
});
