import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesInMemory } from '../hub/sources.ts';
import type { ModelFiles } from '../hub/types.ts';

/** A model folder on disk, for Node. */
export function filesInFolder(label: string, folder: string): ModelFiles {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = entries.map(
    ({ name }) => [name, new Uint8Array(readFileSync(join(folder, name)))] as const,
  );
  return filesInMemory(label, new Map(contents));
}
