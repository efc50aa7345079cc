import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { optimizerSuite } from './optimizer.suite.ts';
import { trainerSuite } from './trainer.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

optimizerSuite();
trainerSuite();
