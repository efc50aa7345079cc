import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { lossGradientsSuite } from './lossGradients.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

lossGradientsSuite();
