import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { FROZEN_FORMATS } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { mergedBaseSuite } from './mergedBase.suite.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

mergedBaseSuite(FROZEN_FORMATS);
