/** Tells whether a vocabulary has tokens for a text. */
import type { TextCodec } from './types.ts';

/** True if the tokens of `text` read as `text` again. White space is ignored, and so are forms of a character that NFKC unites. */
export function canWrite(tokenizer: Pick<TextCodec, 'encode' | 'decodeWhole'>, text: string): boolean {
  const bare = (each: string): string => each.normalize('NFKC').replace(/\s/g, '');
  return bare(tokenizer.decodeWhole(tokenizer.encode(text))) === bare(text);
}
