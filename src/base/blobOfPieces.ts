/** A blob that is filled piece by piece: the browser is handed what it has every 4 MB, and keeps large ones on disk. */

/** The number of bytes that are gathered in the page before the browser is handed them. */
const WAITING_BYTES = 4 * 2 ** 20;

export class BlobOfPieces {
  #size = 0;
  #parts: Blob[] = [];
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;

  /** Bytes added so far. */
  get size(): number {
    return this.#size;
  }

  /** The bytes may not change before the blob is made. */
  add(bytes: Uint8Array): void {
    // Blobs take no shared memory.
    const own =
      bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
    this.#waiting.push(own);
    this.#size += own.byteLength;
    this.#waitingBytes += own.byteLength;
    if (this.#waitingBytes >= WAITING_BYTES) this.#pack();
  }

  blob(type = ''): Blob {
    this.#pack();
    return new Blob(this.#parts, { type });
  }

  #pack(): void {
    this.#parts.push(new Blob(this.#waiting));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
