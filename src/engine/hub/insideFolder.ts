/**
 * Checks places below a folder of this machine that may come from a stranger: a run directory, a checkpoint, a model. Nothing in it is
 * read, written or deleted through a link, so its contents decide nothing about files elsewhere. The folder itself may be a link, for
 * example to a second disk.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ModelFileError } from './types.ts';

/** True for a link of the Hub's own cache, which keeps a model's files in `blobs`, and links to them in `snapshots/COMMIT` and the folders below. */
function isLinkOfHubCache(folder: string, path: string): boolean {
  for (let commit = folder; dirname(commit) !== commit; commit = dirname(commit)) {
    const snapshots = dirname(commit);
    if (basename(snapshots) !== 'snapshots' || !existsSync(path)) continue;
    const target = realpathSync(path);
    return target.startsWith(join(dirname(snapshots), 'blobs') + sep) && lstatSync(target).isFile();
  }
  return false;
}

/** The real path of the folder. The links on the way to it are the person's own. */
const rootOf = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : resolve(folder));

/**
 * The path of the file or folder with this name below `folder`, whether or not it exists yet. The parts of `name` are divided by `/` or
 * the system's mark.
 *
 * @throws ModelFileError if the name leads out of the folder, if a part of the path is a link, or if the path exists and is neither a
 * file nor a folder.
 */
export function inside(folder: string, name: string): string {
  const root = rootOf(folder);
  const whole = join(root, name);
  const below = relative(root, whole);
  if (below === '' || below === '..' || below.startsWith(`..${sep}`) || whole !== join(root, below))
    throw new ModelFileError(`"${name}" lies outside of ${folder}.`);
  let path = root;
  for (const part of below.split(sep)) {
    path = join(path, part);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return whole;
    if (found.isSymbolicLink())
      throw new ModelFileError(
        `${path} is a link, to ${readlinkSync(path)}. Nothing is read or written through a link in a folder that may be a stranger's. Put the file itself in its place, or remove the link.`,
      );
    if (!found.isFile() && !found.isDirectory())
      throw new ModelFileError(`${path} is neither a file nor a folder, but a device or a pipe. Remove it.`);
  }
  return whole;
}

/** The path for reading, where links of the Hub's cache are allowed. The path that is returned is no link. */
export function insideToRead(folder: string, name: string): string {
  const root = rootOf(folder);
  const path = join(root, name);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && isLinkOfHubCache(root, path) ? realpathSync(path) : inside(folder, name);
}
