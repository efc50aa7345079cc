/**
 * The merges of a vocabulary that has scores: SentencePiece joins the two neighbours whose token has the highest score, and has no list of
 * merges. They are those that Hugging Face's converter makes, in its order.
 */
import { GgufError } from './ggufError.ts';

/** The most characters that are compared for all tokens together. The largest vocabularies take some millions. */
const MOST_WORK = 10 ** 9;

/** Every pair of tokens that makes a token, as a text with a space between the two; those of higher scores first. */
export function mergesOf(scores: ReadonlyMap<string, number>): string[] {
  const tokens = [...scores.keys()].filter(({ length }) => length > 1);
  const work = tokens.reduce((sum, { length }) => sum + length ** 2, 0);
  if (work > MOST_WORK)
    throw new GgufError(
      `the vocabulary has tokens of up to ${tokens.reduce((most, { length }) => Math.max(most, length), 0)} characters, and no SentencePiece vocabulary has such. The file is damaged; download it again.`,
    );
  tokens.sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
  const merges: string[] = [];
  for (const token of tokens)
    for (let at = token.length - 1; at > 0; at--) {
      const left = token.slice(0, at);
      const right = token.slice(at);
      if (scores.has(left) && scores.has(right)) merges.push(`${left} ${right}`);
    }
  return merges;
}
