/** A GPU device of its own for tests that need no tensors, with its problems turned into failures. */
import { afterAll, beforeAll } from 'vitest';
import { findAdapter, openDevice } from '../backend/device.ts';
import { releaseDevice } from '../backend/deviceHealth.ts';
import { failOnDeviceProblems } from './gpu.ts';

/** A device that is opened before the tests of the calling file, and destroyed after them. */
export function testDevice(): { readonly device: GPUDevice } {
  failOnDeviceProblems();
  let device: GPUDevice | null = null;
  beforeAll(async () => {
    const found = await findAdapter();
    if (!found) throw new Error('These tests need a WebGPU adapter; SwiftShader will do.');
    device = await openDevice(found);
  });
  afterAll(() => {
    if (device) releaseDevice(device);
  });
  return {
    get device() {
      if (!device) throw new Error('The device is there once tests run.');
      return device;
    },
  };
}
