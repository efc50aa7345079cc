/**
 * The state of sources: a hash of their names and of what they hold. Neither a time nor an absolute path goes in, so a copy of the
 * repository in another place has the state of the original.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files and folders that no build reads: tests, and what was made of sources beside them. */
const LEFT_OUT = /\.test\.tsx?$|^(dist|node_modules|__pycache__)$/;

/**
 * Names the state of sources: another one if a file was changed, renamed, added or removed.
 *
 * @param {string} root the folder in which they lie
 * @param {readonly string[]} names files and folders, relative to it; one that does not exist counts for nothing
 * @returns {string} 32 hexadecimal digits
 */
export function stateOf(root, names) {
  const hash = createHash('sha256');
  /** @param {string} name */
  const add = (name) => {
    const path = join(root, name);
    if (statSync(path).isDirectory()) {
      for (const below of readdirSync(path).sort()) if (!LEFT_OUT.test(below)) add(`${name}/${below}`);
      return;
    }
    const bytes = readFileSync(path);
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  };
  for (const name of names) if (existsSync(join(root, name))) add(name);
  return hash.digest('hex').slice(0, 32);
}
