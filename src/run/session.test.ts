import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { everyProof } from '../testing/proofs.ts';
import { starterInNode } from '../testing/starterFolder.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { sessionSuite } from './session.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

// That a run repeats to the bit is seen where one is stopped and resumed, too.
sessionSuite(starterInNode(), everyProof);
