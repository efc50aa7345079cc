import { expect, test } from 'vitest';
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

allSuites(everyCase);
