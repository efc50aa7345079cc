import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { valueLossSuite } from './valueLoss.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

valueLossSuite();
