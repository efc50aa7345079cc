/** A frozen base as bytes: each piece comes after the lengths of its name and words. */
import type { BasePiece } from '@rl-playground/engine/parts';

const HEAD = 12;

export async function* bytesOfBase(pieces: AsyncIterable<BasePiece>): AsyncGenerator<Uint8Array> {
  for await (const { name, firstRow, words } of pieces) {
    const text = new TextEncoder().encode(name ?? '');
    const head = Uint32Array.of(name === null ? 0 : text.length + 1, firstRow, words.length);
    yield new Uint8Array(head.buffer);
    yield text;
    yield words;
  }
}

/** @throws Error if the bytes end within a piece. */
export function* piecesOfBase(bytes: Uint8Array): Generator<BasePiece> {
  for (let at = 0; at < bytes.length;) {
    const take = (length: number): Uint8Array<ArrayBuffer> => {
      if (at + length > bytes.length) throw new Error('The base of the run is cut off.');
      return bytes.slice(at, (at += length));
    };
    const [name = 0, firstRow = 0, words = 0] = new Uint32Array(take(HEAD).buffer);
    yield {
      name: name === 0 ? null : new TextDecoder().decode(take(name - 1)),
      firstRow,
      words: take(words),
    };
  }
}
