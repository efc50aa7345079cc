import { createHash } from 'node:crypto';

/** The SHA-256 in hexadecimal digits. A file that is missing counts as empty. */
export function sha256(bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha256').update(bytes).digest('hex');
}
