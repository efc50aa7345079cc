import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { rowSelectionSuite } from './rowSelection.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

rowSelectionSuite();
