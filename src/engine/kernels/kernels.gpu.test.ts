import { expect, test } from 'vitest';
import { kernelLimits } from '../backend/adapterFacts.ts';
import { gpuDispatcher } from '../backend/dispatch.ts';
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { allSuites } from './testing/suites.ts';
import { everyCase, failOnDeviceProblems } from '../testing/gpu.ts';

// Without an adapter this throws, and the run is red: no kernel test can pass by being skipped.
const info = await startBackend('webgpu');

failOnDeviceProblems();

test(`the GPU that was promised is there: ${info.line}`, () => {
  expect(tf.getBackend()).toBe(WEBGPU_BACKEND);
  if (import.meta.env['VITE_REQUIRE_GPU'] === 'hardware') expect(info).toMatchObject({ software: false });
});

test.runIf(info.software)(
  'the device has no more than WebGPU promises everywhere, and has a phone’s limits',
  () => {
    const { device } = gpuDispatcher(tf.backend());
    expect(kernelLimits(device)).toEqual({
      maxBufferSize: 256 * 2 ** 20,
      maxStorageBufferBindingSize: 128 * 2 ** 20,
      maxStorageBuffersPerShaderStage: 8,
      maxComputeWorkgroupStorageSize: 16_384,
      maxComputeInvocationsPerWorkgroup: 256,
    });
  },
);

allSuites(everyCase);
