import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { valueHeadSuite } from './valueHead.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

valueHeadSuite();
