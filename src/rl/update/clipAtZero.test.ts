import { beforeAll } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { clipAtZeroSuite } from './clipAtZero.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

clipAtZeroSuite(process.env['KERNELS'] === 'all' ? 200 : 12);
