import { afterEach, expect, test } from 'vitest';
import { onDeviceProblem } from '../backend/device.ts';
import { WEBGPU_BACKEND } from '../backend/kernelRegistry.ts';
import { startBackend } from '../backend/start.ts';
import * as tf from '../backend/tf.ts';
import { allSuites } from './checks/suites.ts';

const problems: string[] = [];
onDeviceProblem(({ message }) => problems.push(message));

// Without an adapter this throws, and the run is red: no kernel test can pass by being skipped.
const info = await startBackend('webgpu');

// A shader that does not compile only shows here: WebGPU goes on with what was in the buffers.
afterEach(() => {
  const news = problems.splice(0);
  if (news.length > 0) throw new Error(news.join('\n'));
});

test(`the GPU that was promised is there: ${info.line}`, () => {
  expect(tf.getBackend()).toBe(WEBGPU_BACKEND);
  if (import.meta.env['VITE_REQUIRE_GPU'] === 'hardware') expect(info).toMatchObject({ software: false });
});

allSuites();
