/** What programs under Node compute with: tfjs' wasm backend with our kernels, and the models in folders of this machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBackendInNode } from '../src/backend/startInNode.ts';
import { loadModel } from '../src/hub/load.ts';
import { filesInMemory } from '../src/hub/sources.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import '../src/kernels/index.ts';

export async function startNodeBackend(): Promise<void> {
  await startBackendInNode();
}

/** @throws Error where the folder or a file of the model can't be read. */
export function loadModelFolder(folder: string): Promise<LoadedModel> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = entries.map(
    ({ name }) => [name, new Uint8Array(readFileSync(join(folder, name)))] as const,
  );
  return loadModel(filesInMemory(folder, new Map(contents)));
}
