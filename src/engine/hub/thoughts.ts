/** The part of an answer that a reasoning model thinks in, between `<think>` and `</think>`, which is not graded. */
import type { Tokenizer } from './types.ts';

const OPEN = '<think>';
const CLOSE = '</think>';

/** Whether the model's template knows of thoughts. */
export const knowsThoughts = ({ templateMentions }: Pick<Tokenizer, 'templateMentions'>): boolean =>
  templateMentions(CLOSE);

/** The token that is this text alone; null where it takes several. */
function tokenOf(tokenizer: Tokenizer, text: string): number | null {
  const [id, ...more] = tokenizer.encode(text);
  return id !== undefined && more.length === 0 ? id : null;
}

const behind = <T>(items: readonly T[], item: T): readonly T[] | null => {
  const at = items.lastIndexOf(item);
  return at < 0 ? null : items.slice(at + 1);
};

/** Without the line feeds that templates put behind a thought. */
const answerOf = (text: string): string => text.replace(/^\n+/, '');

/**
 * Reads what comes behind the last `</think>`; nothing where a thought has begun and not ended. `begun`: whether the prompt ends inside a
 * thought. Marks that are tokens of their own are found as such: special ones are in no text.
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
