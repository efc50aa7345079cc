import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { everyProof } from '../testing/proofs.ts';
import { starterInNode } from '../testing/starterFolder.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { frozenFormatsSuite } from './frozenFormats.suite.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

frozenFormatsSuite(starterInNode(), everyProof ? 20 : 6);
