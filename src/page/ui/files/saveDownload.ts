/** Gives files to the person, as a download or written to a chosen file while they are made. */
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { Download } from '@rl-playground/run/export';

/** The bytes from which on the browser asks for a file to write to, because a download has to be kept as a whole first. */
const LARGE = 256 * 2 ** 20;

/** The bytes that are written at a time. Each time costs milliseconds. */
const BATCH = 4 * 2 ** 20;

/** A part of the File System Access API, which not every browser has. */
interface FilePicker {
  showSaveFilePicker(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

const hasPicker = (scope: object): scope is FilePicker => 'showSaveFilePicker' in scope;

export function saveFile({ filename, blob }: { filename: string; blob: Blob }): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  // Browsers read the blob after the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** The file for a large download. It is null where the browser can't ask, and `stopped` where the person wants none. */
async function chosenFile({ filename, size }: Download): Promise<FileSystemFileHandle | 'stopped' | null> {
  if (size < LARGE || !hasPicker(window)) return null;
  try {
    return await window.showSaveFilePicker({ suggestedName: filename });
  } catch (error) {
    const name = error instanceof DOMException ? error.name : null;
    if (name === 'AbortError') return 'stopped';
    // The click is too long ago, or the page stands in a frame that may not ask.
    if (name === 'SecurityError' || name === 'NotAllowedError') return null;
    throw error;
  }
}

/** Saves a download. @throws Error where the disk takes no more; the part that was written is given up */
export async function saveDownload(download: Download): Promise<void> {
  const chosen = await chosenFile(download);
  if (chosen === 'stopped') return;
  if (chosen === null) {
    saveFile({ filename: download.filename, blob: await download.blob() });
    return;
  }
  const file = await chosen.createWritable();
  try {
    let batch = new BlobOfPieces();
    for await (const bytes of download.pieces()) {
      batch.add(bytes);
      if (batch.size < BATCH) continue;
      await file.write(batch.blob());
      batch = new BlobOfPieces();
    }
    await file.write(batch.blob());
    await file.close();
  } catch (error) {
    await file.abort();
    throw error;
  }
}
