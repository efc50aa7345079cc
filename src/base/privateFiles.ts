/** The browser's private file system (OPFS), with the methods of its files in a worker, which the types of the page lack. */

export interface SyncAccess {
  read(into: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

export interface WorkerFile extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<SyncAccess>;
  move(name: string): Promise<void>;
}

/**
 * Opens a folder at the top of the private file system, and makes it if needed. The result is null if the browser has
 * no such file system, as in some private windows and on pages without https.
 */
export async function privateFolder(name: string): Promise<FileSystemDirectoryHandle | null> {
  try {
    const storage: StorageManager | undefined = globalThis.navigator.storage;
    const root = await storage?.getDirectory();
    return (await root?.getDirectoryHandle(name, { create: true })) ?? null;
  } catch {
    return null;
  }
}

/** The bytes that the page has stored and the bytes that it may store; null if the browser does not say. */
export async function storageNow(): Promise<{ readonly used: number; readonly quota: number } | null> {
  try {
    const storage: StorageManager | undefined = globalThis.navigator.storage;
    const { usage = 0, quota } = (await storage?.estimate()) ?? {};
    return quota === undefined ? null : { used: usage, quota };
  } catch {
    return null;
  }
}

/**
 * Writes all of `bytes`. @throws DOMException named QuotaExceededError if the disk took less, which some browsers say
 * by a short write alone.
 */
export function writeWhole(access: SyncAccess, bytes: Uint8Array, at: number): void {
  const written = access.write(bytes, { at });
  if (written < bytes.byteLength) throw new DOMException('The write was cut short.', 'QuotaExceededError');
}
