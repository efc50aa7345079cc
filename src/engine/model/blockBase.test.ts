import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { BLOCK_FORMATS } from '../kernels/blockFormats/blockFormats.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { blockBaseSuite } from './blockBase.suite.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

blockBaseSuite(BLOCK_FORMATS);
