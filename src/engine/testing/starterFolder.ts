import { fileURLToPath } from 'node:url';
import type { ModelFiles } from '../hub/types.ts';
import { filesInFolder } from '../hub/filesInNode.ts';

/** A bundled model on disk, for Node. */
export function bundledInNode(name: string): ModelFiles {
  return filesInFolder(fileURLToPath(new URL(`../../../public/models/${name}`, import.meta.url)), name);
}

export const starterInNode = (): ModelFiles => bundledInNode('starter');
