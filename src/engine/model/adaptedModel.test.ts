import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { filesInFolder } from '../hub/filesInNode.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { wasmPathInNode } from '../testing/wasm.ts';
import { adaptedModelSuite, adaptedReferenceSuite } from './adaptedModel.suite.ts';
import { mergeAdapterSuite } from './mergeAdapter.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

adaptedModelSuite();
mergeAdapterSuite();

describeShared('adapted reference models on wasm', 'refdata/models', (folder) => {
  const entries = folder === '' ? [] : readdirSync(folder, { withFileTypes: true });
  const models = entries.filter((entry) => entry.isDirectory());
  adaptedReferenceSuite(models.map(({ name }) => filesInFolder(join(folder, name), name)));
});
