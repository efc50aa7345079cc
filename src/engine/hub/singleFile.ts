/** The folder that a single file holds: a zip, or a model in GGUF. */
import { GGUF_FILE } from './ggufName.ts';
import { openBlob } from './openFiles.ts';
import { filesInBlobs } from './sources.ts';
import type { ModelFiles, OpenFile } from './types.ts';
import { filesInZip } from './zipFiles.ts';

/** True if a file begins with the letters GGUF. */
async function isGguf(file: OpenFile): Promise<boolean> {
  const bytes = await file.read(0, Math.min(4, file.size));
  return String.fromCharCode(...bytes) === 'GGUF';
}

/**
 * Opens a zip or a GGUF file. `mostUnpacked` is the limit in bytes for the compressed files of a zip.
 *
 * @throws ModelFileError if it is neither, or is broken.
 */
export async function filesInFile(
  label: string,
  file: OpenFile,
  mostUnpacked = Infinity,
): Promise<ModelFiles> {
  if (!(await isGguf(file))) return filesInZip(label, file, mostUnpacked);
  const open = (name: string): Promise<OpenFile | null> => Promise.resolve(name === GGUF_FILE ? file : null);
  return { label, names: [GGUF_FILE], open };
}

/** Files that were chosen together, or the contents of a single zip or GGUF file. @throws ModelFileError if that is neither. */
export async function filesChosen(label: string, files: readonly File[]): Promise<ModelFiles> {
  const [first] = files;
  if (first !== undefined && files.length === 1 && !/\.(json|safetensors)$/.test(first.name))
    return filesInFile(label, openBlob(first));
  return filesInBlobs(label, new Map(files.map((file) => [file.name, file])));
}
