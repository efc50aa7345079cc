import { beforeAll, expect, test } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { tinyModel } from '../testing/tinyModels.ts';
import { wasmPathInNode } from '../testing/wasm.ts';
import { sharedPromptsSuite } from './sharedPrompts.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

sharedPromptsSuite();

test('shared positions need the positions whose prediction is wanted', async () => {
  const model = tinyModel('gqa');
  const shared = { first: Int32Array.of(0), copies: Int32Array.of(2) };
  const tokens = { batch: 2, length: 1, ids: new Int32Array(2), targets: new Int32Array(2), shared };
  await expect(model.forward(tokens, () => Promise.resolve())).rejects.toThrow('must be named');
  model.dispose();
});
