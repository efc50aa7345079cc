/** Hands what the page has made to the person: as a download, or written to a file of their choice as it is made. */
import { BlobOfPieces } from '@rl-playground/base/blobOfPieces';
import type { Download } from '@rl-playground/run/export';

/** Bytes from which on the browser is asked for a file to write to: a download would have to be kept as a whole first. */
const LARGE = 256 * 2 ** 20;

/** Bytes that are written at a time: each time costs milliseconds. */
const BATCH = 4 * 2 ** 20;

/** Of the File System Access API, which not every browser has. */
interface FilePicker {
  showSaveFilePicker(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

const hasPicker = (scope: object): scope is FilePicker => 'showSaveFilePicker' in scope;

/** Hands a file to the browser's downloads. */
export function saveFile({ filename, blob }: { filename: string; blob: Blob }): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  // Browsers read the blob after the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Where a large download goes; null where the browser can't ask, `stopped` where the person wants none. */
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

/** @throws where the disk takes no more; what was written by then is given up. */
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
