/**
 * SHA-256 if the browser has none: a page that came by plain http from another machine has no `crypto.subtle`. NATS' object store hashes
 * with a library of its own, but opens nothing without it.
 */

/** Puts a library's SHA-256 in the place of a missing one. */
export async function provideDigest(): Promise<void> {
  if ((globalThis.crypto.subtle as SubtleCrypto | undefined) !== undefined) return;
  const { sha256 } = await import('hash-wasm');
  const digest = async (_: 'SHA-256', data: BufferSource): Promise<ArrayBuffer> => {
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    const hex = await sha256(bytes);
    return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)).buffer;
  };
  Object.defineProperty(globalThis.crypto, 'subtle', { value: { digest }, configurable: true });
}
