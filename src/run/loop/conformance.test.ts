import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { startBackend } from '@rl-playground/engine/parts/tensors';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { describeShared } from '@rl-playground/base/testing/shared';
import { wasmPathInNode } from '@rl-playground/engine/testing/wasm';
import { conformanceSuite } from './conformance.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

describeShared('reference models on wasm', 'refdata/models', (folder) => {
  const entries = folder === '' ? [] : readdirSync(folder, { withFileTypes: true });
  const models = entries.filter((entry) => entry.isDirectory());
  conformanceSuite(models.map(({ name }) => filesInFolder(join(folder, name), name)));
});
