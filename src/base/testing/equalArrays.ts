/**
 * Makes `toEqual` accept typed arrays with the same bytes at once. Vitest's own comparison of one element after the
 * other takes seconds for the weights of a model. Arrays that differ are left to it, so that it says where.
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
