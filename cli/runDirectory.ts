/** Unpacks a checkpoint zip into a run directory. */
import { unzipSync } from 'fflate';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';

/**
 * Writes every file of `zip` below `folder`, which is made if needed; files of the same name are replaced.
 *
 * @returns the names of the files, sorted.
 * @throws Error when an entry would land outside of `folder`.
 */
export function writeRunDirectory(folder: string, zip: Uint8Array): string[] {
  const root = resolve(folder);
  const files = Object.entries(unzipSync(zip)).filter(([name]) => !name.endsWith('/'));
  for (const [name] of files) {
    if (!resolve(root, name).startsWith(root + sep)) {
      throw new Error(`The checkpoint holds "${name}", which lies outside of ${folder}.`);
    }
  }
  for (const [name, bytes] of files) {
    const path = resolve(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  return files.map(([name]) => name).sort();
}
