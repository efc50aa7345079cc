import { fileURLToPath } from 'node:url';
import type { ModelFiles } from '../hub/types.ts';
import { filesInFolder } from '../hub/filesInNode.ts';

/** The bundled model on disk, for Node. */
export function starterInNode(): ModelFiles {
  return filesInFolder(fileURLToPath(new URL('../../public/models/starter', import.meta.url)), 'starter');
}
