/** Model folders, zips and GGUF files of this machine, for programs under Node. */
import { existsSync, readdirSync, statSync, type Dirent } from 'node:fs';
import { open } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { insideToRead } from './insideFolder.ts';
import { ModelFileError, type ModelFiles, type OpenFile } from './types.ts';
import { filesInFile } from './singleFile.ts';

/** The path that a typed one means: npm runs programs in the repository's folder, and INIT_CWD says where they were called. */
export function fromCaller(path: string): string {
  return resolve(process.env['INIT_CWD'] ?? '', path);
}

/** True if a model is named by its place on this machine: absolute, relative by `./` or `../`, a zip or a GGUF file. */
export function isModelPath(text: string): boolean {
  return /^(?:\.{0,2}[\\/]|\.{1,2}$|[a-z]:[\\/])|\.(?:zip|gguf)$/i.test(text);
}

/** Returns the last part of a path: the parts before it tell of a person's machine. */
export const nameOfPath = (path: string): string => basename(resolve(path));

/** Opens a file of this machine. It is opened anew for each piece, so that none stays open. */
export function openOnDisk(path: string): OpenFile {
  return {
    size: statSync(path).size,
    async read(begin, end) {
      const bytes = new Uint8Array(end - begin);
      const file = await open(path);
      try {
        for (let done = 0; done < bytes.length;) {
          const { bytesRead } = await file.read(bytes, done, bytes.length - done, begin + done);
          if (bytesRead === 0)
            throw new ModelFileError(`${path} ended at byte ${begin + done}; it has become shorter.`);
          done += bytesRead;
        }
      } finally {
        await file.close();
      }
      return bytes;
    },
  };
}

/**
 * The files of a folder. Those in folders below it are found by their path, but not listed. A file that is a link can't be opened,
 * because a folder of a stranger could name any file of this machine; the links of the Hub's own cache are allowed.
 */
export function filesInFolder(folder: string, label = folder): ModelFiles {
  const entries = readdirSync(folder, { withFileTypes: true });
  const leadsToFile = (name: string): boolean =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
  const isFile = (entry: Dirent): boolean =>
    entry.isFile() || (entry.isSymbolicLink() && leadsToFile(entry.name));
  return {
    label,
    name: nameOfPath(folder),
    names: entries.filter(isFile).map(({ name }) => name),
    open: async (name, options) => {
      options?.signal?.throwIfAborted();
      const path = insideToRead(folder, name);
      if (!existsSync(path) || !statSync(path).isFile()) return null;
      const file = openOnDisk(path);
      options?.onProgress?.(file.size, file.size);
      return Promise.resolve(file);
    },
  };
}

/** Opens a folder, a zip or a GGUF file. `label` is the path as it was typed. @throws ModelFileError if there is none at this path. */
export async function filesAtPath(path: string, label = path): Promise<ModelFiles> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new ModelFileError(
      `${label} does not exist. Give a folder in Hugging Face layout, a zip of one, or a GGUF file.`,
    );
  if (found.isDirectory()) return filesInFolder(path, label);
  return { ...(await filesInFile(label, openOnDisk(path), totalmem())), name: nameOfPath(path) };
}
