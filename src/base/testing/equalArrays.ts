/**
 * Typed arrays whose bytes are the same are equal at once: `toEqual` compares them one element after the other, which takes seconds for the
 * weights of a model. Of others it decides as ever, and says where they differ.
 */
import { expect } from 'vitest';

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

expect.addEqualityTesters([
  (a: unknown, b: unknown): true | undefined => {
    if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return undefined;
    if (a.constructor !== b.constructor || a.byteLength !== b.byteLength) return undefined;
    const others = bytesOf(b);
    return bytesOf(a).every((byte, i) => byte === others[i]) ? true : undefined;
  },
]);
