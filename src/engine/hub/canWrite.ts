/** Whether a vocabulary has tokens for a text. */
import type { TextCodec } from './types.ts';

/** Up to white space, and the forms of characters that a tokenizer makes one. */
export function canWrite(tokenizer: Pick<TextCodec, 'encode' | 'decodeWhole'>, text: string): boolean {
  const bare = (each: string): string => each.normalize('NFKC').replace(/\s/g, '');
  return bare(tokenizer.decodeWhole(tokenizer.encode(text))) === bare(text);
}
