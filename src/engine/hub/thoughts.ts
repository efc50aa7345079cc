/** Reads the part of an answer in which a reasoning model thinks, between `<think>` and `</think>`. It is not graded. */
import type { Tokenizer } from './types.ts';

const OPEN = '<think>';
const CLOSE = '</think>';

/** True if the model's template mentions thoughts. */
export const knowsThoughts = ({ templateMentions }: Pick<Tokenizer, 'templateMentions'>): boolean =>
  templateMentions(CLOSE);

/** The single token with exactly this text; null if the text takes several. */
function tokenOf(tokenizer: Tokenizer, text: string): number | null {
  const [id, ...more] = tokenizer.encode(text);
  return id !== undefined && more.length === 0 ? id : null;
}

const behind = <T>(items: readonly T[], item: T): readonly T[] | null => {
  const at = items.lastIndexOf(item);
  return at < 0 ? null : items.slice(at + 1);
};

/** Removes the line feeds that templates put after a thought. */
const answerOf = (text: string): string => text.replace(/^\n+/, '');

/**
 * Reads the text after the last `</think>`, or nothing if a thought has begun and not ended. `begun` says whether the prompt ends inside
 * a thought. Marks that are tokens of their own are found as tokens, because special tokens are in no text.
 */
export function readerWithoutThoughts(
  tokenizer: Tokenizer,
  begun: boolean,
): (tokens: readonly number[]) => string {
  const close = tokenOf(tokenizer, CLOSE);
  const open = tokenOf(tokenizer, OPEN);
  return (tokens) => {
    const kept = close === null ? null : behind(tokens, close);
    if (kept !== null) return answerOf(tokenizer.decode(kept));
    const text = tokenizer.decode(tokens);
    const at = text.lastIndexOf(CLOSE);
    if (at >= 0) return answerOf(text.slice(at + CLOSE.length));
    const thinking = begun || text.includes(OPEN) || (open !== null && tokens.includes(open));
    return thinking ? '' : text;
  };
}
