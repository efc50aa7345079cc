import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { mergedBaseSuite } from './mergedBase.suite.ts';

beforeAll(() => startBackend('wasm', { wasmPath: wasmPathInNode }));

mergedBaseSuite(['f32', 'f16', 'bf16', 'q8', 'q4', 'q4_1']);
