import { beforeAll } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { starterInNode } from '@rl-playground/engine/testing/starterFolder';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { frozenFormatsSuite } from './frozenFormats.suite.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

frozenFormatsSuite(starterInNode(), everyProof ? 20 : 6);
