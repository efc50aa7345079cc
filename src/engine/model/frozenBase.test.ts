import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { startBackend } from '../backend/start.ts';
import { filesInFolder } from '../hub/filesInNode.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { describeShared } from '@rl-playground/base/testing/shared';
import { wasmPathInNode } from '../testing/wasm.ts';
import { frozenBaseSuite } from './frozenBase.suite.ts';

beforeAll(async () => {
  await startBackend('wasm', { wasmPath: wasmPathInNode });
});

/** The same models as version 4 of the library writes their configs, which src/run/inspect/inspection.test.ts reads, are left to the whole proof. */
const SUPPORTED = everyProof
  ? /^(llama3|mistral|smollm2|qwen2|qwen3|qwen2-window|gemma3)(-v4)?$/
  : /^(llama3|mistral|smollm2|qwen2|qwen3|qwen2-window|gemma3)$/;

describeShared('frozen bases on wasm', 'refdata/hf', (folder) => {
  const names = folder === '' ? [] : readdirSync(folder).filter((name) => SUPPORTED.test(name));
  frozenBaseSuite(
    names.map((name) => {
      const adapters = join(folder, name, 'adapters');
      const plain = existsSync(adapters)
        ? readdirSync(adapters).filter((adapter) => !adapter.startsWith('refused'))
        : [];
      return {
        files: filesInFolder(join(folder, name), name),
        adapters: plain.map((adapter) => filesInFolder(join(adapters, adapter), adapter)),
      };
    }),
  );
});
