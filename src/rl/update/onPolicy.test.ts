import { beforeAll } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { onPolicySuite } from './onPolicy.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

onPolicySuite();
