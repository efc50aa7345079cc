import { beforeAll } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { onPolicySuite } from './onPolicy.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

onPolicySuite();
