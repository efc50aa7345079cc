/** Bytes through DEFLATE without a header (RFC 1951), which the browser computes. */
import { grouped } from './text.ts';

/** True if this browser can: Chrome 103, Firefox 113, Safari 16.4 and later. */
export function canDeflate(): boolean {
  try {
    void new DecompressionStream('deflate-raw');
    return true;
  } catch {
    return false;
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    size += value.length;
    if (size > most) throw new Error(`it comes to more than ${grouped(most)} bytes`);
    pieces.push(new Uint8Array(value));
  }
}

export const deflated = (bytes: Blob): Promise<Uint8Array<ArrayBuffer>> =>
  bytesOf(bytes.stream().pipeThrough(new CompressionStream('deflate-raw')), Infinity);

/** Resolves to the bytes as they were. @throws Error if there would be more than `most`, or none can be made of these. */
export const inflated = (bytes: Uint8Array<ArrayBuffer>, most = Infinity): Promise<Uint8Array<ArrayBuffer>> =>
  bytesOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')), most);
