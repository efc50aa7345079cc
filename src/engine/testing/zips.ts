/** Zips as bytes, which tests compare, take apart and damage. */
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import { contentOf, openBytes } from '../hub/openFiles.ts';
import type { ModelFiles, OpenFile } from '../hub/types.ts';
import { filesInZip } from '../hub/zipFiles.ts';
import { zipPieces } from '../hub/zipWriter.ts';

export async function zipBytes(files: ReadonlyMap<string, OpenFile>): Promise<Uint8Array<ArrayBuffer>> {
  const blob = new BlobOfPieces();
  for await (const bytes of zipPieces(files)) blob.add(bytes);
  return new Uint8Array(await blob.blob().arrayBuffer());
}

export function openZip(bytes: Uint8Array, label = 'The checkpoint'): Promise<ModelFiles> {
  return filesInZip(label, openBytes(bytes));
}

/** Opens files whose contents do not matter, or are known. */
export function opened(files: ReadonlyMap<string, Uint8Array>): Map<string, OpenFile> {
  return new Map([...files].map(([name, bytes]) => [name, openBytes(bytes)]));
}

/** The contents of a zip, by path. */
export async function unzipped(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const files = await openZip(bytes);
  const all = new Map<string, Uint8Array>();
  for (const name of files.names ?? []) {
    const file = await files.open(name);
    if (file !== null) all.set(name, await contentOf(file));
  }
  return all;
}

/** The contents of files, by path. */
export async function contents(files: ReadonlyMap<string, OpenFile>): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  for (const [name, file] of files) all.set(name, await contentOf(file));
  return all;
}
