/** The result of a tokenizer's `tokenBytes` for a vocabulary by hand, from the text or the bytes of each token in the order of ids. */
import type { TokenBytes } from '../hub/types.ts';

export function tokenTable(pieces: readonly (string | readonly number[])[]): TokenBytes {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  let end = 0;
  return {
    bytes: Uint8Array.from(parts.flatMap((part) => [...part])),
    ends: Uint32Array.from(parts, ({ length }) => (end += length)),
  };
}
