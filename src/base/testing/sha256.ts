import { createHash } from 'node:crypto';

/** Hexadecimal; of nothing for a file that is missing. */
export function sha256(bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha256').update(bytes).digest('hex');
}
