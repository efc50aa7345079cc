import { afterEach, beforeAll, expect, test } from 'vitest';
import { onDeviceProblem } from '../backend/device.ts';
import { startBackend, type BackendInfo } from '../backend/start.ts';
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import * as tf from '../backend/tf.ts';
import { allSuites } from './testing/suites.ts';

let info: BackendInfo;
const problems: string[] = [];

beforeAll(async () => {
  onDeviceProblem(({ message }) => problems.push(message));
  info = await startBackend('webgpu');
});

// A shader that does not compile only shows here: WebGPU goes on with what was in the buffers.
afterEach(() => {
  expect(problems.splice(0)).toEqual([]);
});

test('the GPU that was promised is there (hardware where VITE_REQUIRE_GPU=hardware)', () => {
  expect(tf.getBackend()).toBe(WEBGPU_BACKEND);
  console.log(`Kernels run on ${info.line}`);
  if (import.meta.env['VITE_REQUIRE_GPU'] === 'hardware') expect(info.software, info.line).toBe(false);
});

allSuites();
