import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { starterInNode } from '../testing/starterFolder.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { sessionSuite } from './session.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

sessionSuite(starterInNode());
