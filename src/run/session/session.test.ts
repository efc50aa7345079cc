import { beforeAll } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { sessionSuite } from './session.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

// That a run repeats to the bit is seen where one is stopped and resumed, too.
sessionSuite(starterInNode(), everyProof);
