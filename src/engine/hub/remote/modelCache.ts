/**
 * Models that this browser keeps in its private file system (OPFS). Each has a folder, named by its origin and its commit. A file is
 * there as NAME.part with its state in NAME.part.json until it is whole. A folder counts when its record is written, which comes last.
 */
import { z } from 'zod';
import { privateFolder, storageNow } from '@rl-playground/base/privateFiles';
import { openBlob } from '../openFiles.ts';
import { ModelFileError, type ModelFiles, type ModelOrigin } from '../types.ts';
import { isGgufName } from '../ggufName.ts';
import { isOnnxName } from '../onnxChoice.ts';
import type { RemoteModel } from './remoteModel.ts';

const ROOT = 'models';
const RECORD = 'record.json';

const recordSchema = z.object({
  label: z.string(),
  origin: z.object({
    name: z.string(),
    revision: z.string().nullable(),
    commit: z.string().nullable(),
    hubUrl: z.string().nullable(),
  }),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string().nullable() })),
  bytes: z.number(),
  /** The hash of the weights, once they were checked. */
  contentHash: z.string().nullable().optional(),
  /** The time in milliseconds since 1970. */
  kept: z.number(),
});
export type KeptModel = z.infer<typeof recordSchema> & {
  /** The name of its folder. */
  readonly key: string;
  /** True for a LoRA adapter, which needs its base. */
  readonly isAdapter: boolean;
  /** True for a model that transformers.js runs, which can't be trained. */
  readonly isOnnx: boolean;
  /** False while files are missing, because a download was broken off. */
  readonly whole: boolean;
  /** The bytes that have arrived. */
  readonly there: number;
};

/** The folder of all models; null if the browser has no such file system. */
export const cacheRoot = (): Promise<FileSystemDirectoryHandle | null> => privateFolder(ROOT);

async function readRecord(folder: FileSystemDirectoryHandle): Promise<z.infer<typeof recordSchema> | null> {
  try {
    const file = await (await folder.getFileHandle(RECORD)).getFile();
    return recordSchema.parse(JSON.parse(await file.text()));
  } catch {
    return null;
  }
}

/** Records what is known of a model's download before it is whole, so that a broken one can be listed, continued, and deleted. */
export async function recordBegun(folder: FileSystemDirectoryHandle, model: RemoteModel): Promise<void> {
  const { label, origin, bytes } = model;
  const files = model.files.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  await writeRecord(folder, { label, origin, files, bytes, kept: Date.now() });
}

/** Records that the weights were checked, so that they need not be read again for that. */
export async function recordChecked(
  folder: FileSystemDirectoryHandle,
  contentHash: string | null,
): Promise<void> {
  const record = await readRecord(folder);
  if (record !== null) await writeRecord(folder, { ...record, contentHash });
}

/** Writes a record in one piece: a writable replaces the file when it is closed. */
async function writeRecord(
  folder: FileSystemDirectoryHandle,
  record: z.input<typeof recordSchema>,
): Promise<void> {
  const handle = await folder.getFileHandle(RECORD, { create: true });
  const writer = await handle.createWritable();
  await writer.write(JSON.stringify(record));
  await writer.close();
}

/** The sizes of the files of a folder, by name. */
async function sizesIn(folder: FileSystemDirectoryHandle): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const [name, handle] of folder.entries())
    if (handle.kind === 'file') sizes.set(name, (await (handle as FileSystemFileHandle).getFile()).size);
  return sizes;
}

/** True if the file or folder does not exist, or was deleted meanwhile, by a click or another tab. */
const isGone = (error: unknown): boolean => error instanceof Error && error.name === 'NotFoundError';

/** All models that are kept, the newest first. */
export async function keptModels(): Promise<KeptModel[]> {
  const root = await cacheRoot();
  if (root === null) return [];
  const found: KeptModel[] = [];
  for await (const [key, folder] of root.entries()) {
    if (folder.kind !== 'directory') continue;
    try {
      const record = await readRecord(folder as FileSystemDirectoryHandle);
      const sizes = await sizesIn(folder as FileSystemDirectoryHandle);
      if (record === null) continue;
      found.push({
        ...record,
        key,
        isAdapter: !record.files.some(({ path }) => path === 'config.json' || isGgufName(path)),
        isOnnx: record.files.some(({ path }) => isOnnxName(path)),
        whole: record.files.every(({ path, size }) => sizes.get(path) === size),
        there: [...sizes.values()].reduce((sum, size) => sum + size, 0),
      });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return found.sort((a, b) => b.kept - a.kept);
}

/** The files of a whole model; null if it is not there. */
export async function openKept(key: string): Promise<ModelFiles | null> {
  const root = await cacheRoot();
  const folder = await root?.getDirectoryHandle(key).catch(() => null);
  const record = folder && (await readRecord(folder));
  if (!folder || !record) return null;
  const sizes = await sizesIn(folder);
  if (!record.files.every(({ path, size }) => sizes.get(path) === size)) return null;
  return {
    label: record.label,
    names: record.files.map(({ path }) => path),
    origin: record.origin satisfies ModelOrigin,
    ...(record.contentHash === undefined ? {} : { checkedHash: record.contentHash }),
    open: async (name, options) => {
      options?.signal?.throwIfAborted();
      if (!record.files.some(({ path }) => path === name)) return null;
      const file = await (await folder.getFileHandle(name)).getFile();
      options?.onProgress?.(file.size, file.size);
      return openBlob(file);
    },
  };
}

/** @throws ModelFileError if another tab reads or writes it. */
export async function deleteKept(key: string): Promise<void> {
  const root = await cacheRoot();
  try {
    await root?.removeEntry(key, { recursive: true });
  } catch (error) {
    if (isGone(error)) return;
    throw new ModelFileError(
      'The model is in use, here or in another tab. Reset or close it there, then delete it again.',
      {
        cause: error,
      },
    );
  }
}

/** The bytes that the browser can still store; null if it does not say. */
export async function freeBytes(): Promise<number | null> {
  const storage = await storageNow();
  return storage && storage.quota - storage.used;
}
