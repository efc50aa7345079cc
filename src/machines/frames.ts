/**
 * Messages as bytes that their sender has signed (Ed25519, NATS' own keys): the length of a JSON header, the header, a payload, 64 bytes
 * of signature. A token lets everyone at a server read and write everything, so the signature alone shows who sent a message. A sender's
 * name is its public key.
 */
import { nkeys } from '@nats-io/nats-core';
import { sign, verify, type KeyPair } from './signatures.ts';

export type { KeyPair } from './signatures.ts';

const SIGNATURE = 64;
const LENGTH = 4;
/** The most bytes of a header. Ours are shorter. */
const MOST_HEADER = 2 ** 20;

export function newKey(): KeyPair {
  return nkeys.createUser();
}

export function sealed(key: KeyPair, header: unknown, payload: Uint8Array = new Uint8Array()): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const end = LENGTH + text.length + payload.length;
  const frame = new Uint8Array(end + SIGNATURE);
  new DataView(frame.buffer).setUint32(0, text.length, true);
  frame.set(text, LENGTH);
  frame.set(payload, LENGTH + text.length);
  frame.set(sign(key, frame.subarray(0, end)), end);
  return frame;
}

export interface Opened {
  /** The header as it came, which must be checked. */
  readonly header: unknown;
  /** The payload, in memory of its own. */
  readonly payload: Uint8Array<ArrayBuffer>;
  /** Resolves to true if the owner of this public key has signed it. */
  readonly signedBy: (publicKey: string) => Promise<boolean>;
}

/** Opens a frame; null if the bytes are none. */
export function opened(frame: Uint8Array): Opened | null {
  const end = frame.length - SIGNATURE;
  if (end < LENGTH) return null;
  const length = new DataView(frame.buffer, frame.byteOffset).getUint32(0, true);
  if (length > MOST_HEADER || LENGTH + length > end) return null;
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(frame.subarray(LENGTH, LENGTH + length)));
    const [message, signature] = [frame.subarray(0, end), frame.subarray(end)];
    return {
      header,
      payload: new Uint8Array(frame.subarray(LENGTH + length, end)),
      signedBy: (publicKey) => verify(publicKey, message, signature).catch(() => false),
    };
  } catch {
    return null;
  }
}
