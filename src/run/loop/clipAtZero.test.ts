import { beforeAll } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { clipAtZeroSuite } from './clipAtZero.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

clipAtZeroSuite(process.env['KERNELS'] === 'all' ? 200 : 12);
