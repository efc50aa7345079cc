import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { startBackend } from '../../backend/start.ts';
import { filesInFolder } from '../../hub/filesInNode.ts';
import { describeShared } from '../../testing/shared.ts';
import { wasmPathInNode } from '../../testing/wasm.ts';
import { conformanceSuite } from './conformance.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

describeShared('reference models on wasm', 'refdata/models', (folder) => {
  const entries = folder === '' ? [] : readdirSync(folder, { withFileTypes: true });
  const models = entries.filter((entry) => entry.isDirectory());
  conformanceSuite(models.map(({ name }) => filesInFolder(join(folder, name), name)));
});
