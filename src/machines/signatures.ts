/**
 * Ed25519 as NATS' keys use it. Under Node it is Node's own implementation, a hundred times as fast as the one in JavaScript that comes
 * with the keys and works everywhere: a run that gets a thousand forgeries has to check as many signatures.
 */
import { nkeys } from '@nats-io/nats-core';
import type { KeyObject } from 'node:crypto';

export type KeyPair = ReturnType<typeof nkeys.createUser>;

/** Node's implementation; null in pages, which have no synchronous one. */
const native =
  'process' in globalThis && typeof process.getBuiltinModule === 'function'
    ? process.getBuiltinModule('node:crypto')
    : null;

/** The bytes before the 32 bytes of a key in DER (RFC 8410). */
const PRIVATE_HEAD = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]);
const PUBLIC_HEAD = Uint8Array.from([48, 42, 48, 5, 6, 3, 43, 101, 112, 3, 33, 0]);
const KEY_BYTES = 32;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** The most keys of others that are kept. More than that are checked more slowly. */
const MOST_KEPT = 4096;

function behind(head: Uint8Array, key: Uint8Array): Buffer {
  return Buffer.concat([head, key]);
}

function fromBase32(text: string): Uint8Array {
  const bytes: number[] = [];
  let [value, bits] = [0, 0];
  for (const letter of text) {
    value = (value << 5) | BASE32.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
    value &= (1 << bits) - 1;
  }
  return Uint8Array.from(bytes);
}

const privateKeys = new WeakMap<KeyPair, KeyObject>();
const publicKeys = new Map<string, KeyObject>();

export function sign(key: KeyPair, message: Uint8Array): Uint8Array {
  if (native === null) return key.sign(message);
  let own = privateKeys.get(key);
  if (own === undefined) {
    // The text of a seed has two bytes for its kind, the key, and a check sum.
    const raw = fromBase32(new TextDecoder().decode(key.getSeed())).slice(2, 2 + KEY_BYTES);
    own = native.createPrivateKey({ key: behind(PRIVATE_HEAD, raw), format: 'der', type: 'pkcs8' });
    privateKeys.set(key, own);
  }
  return native.sign(null, message, own);
}

/** The 32 bytes of a key. @throws Error if the text is no public key. */
function publicBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  // This call checks the kind and the sum.
  nkeys.fromPublic(publicKey);
  return new Uint8Array(fromBase32(publicKey).slice(1, 1 + KEY_BYTES));
}

/** The algorithm's name in Web Crypto: Chrome since 137, Firefox since 129, Safari since 17. */
const ASIDE = 'Ed25519';

/**
 * True if the owner of `publicKey` has signed it. In a page it costs the page's thread nothing if its browser knows Ed25519, and 15 ms
 * otherwise; strangers may send any number of messages. @throws Error if `publicKey` is none.
 */
export async function verify(
  publicKey: string,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (native !== null) return native.verify(null, message, nativeKey(native, publicKey), signature);
  return verifyInPage(publicKey, message, signature);
}

/** Checks a signature as pages do. */
export async function verifyInPage(
  publicKey: string,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const raw = publicBytes(publicKey);
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey('raw', raw, ASIDE, false, ['verify']);
  } catch {
    return nkeys.fromPublic(publicKey).verify(message, signature);
  }
  return crypto.subtle.verify(ASIDE, key, new Uint8Array(signature), new Uint8Array(message));
}

function nativeKey({ createPublicKey }: NonNullable<typeof native>, publicKey: string): KeyObject {
  let theirs = publicKeys.get(publicKey);
  if (theirs === undefined) {
    const key = behind(PUBLIC_HEAD, publicBytes(publicKey));
    theirs = createPublicKey({ key, format: 'der', type: 'spki' });
    if (publicKeys.size >= MOST_KEPT) publicKeys.clear();
    publicKeys.set(publicKey, theirs);
  }
  return theirs;
}
