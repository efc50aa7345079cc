/** The most likely tokens of a text, each of which has its own log-probability. */
import { byteTokens } from './byteAlphabet.ts';
import type { Options } from './options.ts';
import type { Model, Vocabulary } from './types.ts';

/** All tokens up to this length are looked for at each place of a text. */
const LONGEST_TOKEN = 512;
/** An unknown character is so much less likely than the least likely token. */
const UNKNOWN_PENALTY = 10;

function scoresOf(options: Options): readonly number[] {
  return options.list('vocab').map((entry, id) => {
    const [token, score]: readonly unknown[] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof token === 'string' && typeof score === 'number') return score;
    return options.refuse('vocab', `its entry ${id} is no pair of a token and its score`);
  });
}

/** @throws OptionError */
export function unigramOf(options: Options, ids: Vocabulary): Model {
  const scores = scoresOf(options);
  const unknownId = options.get('unk_id') == null ? null : options.count('unk_id');
  if (unknownId !== null && unknownId >= scores.length) options.refuse('unk_id', 'there is no such token');
  const lengths = [...new Set([...ids.keys()].map((token) => token.length))].sort((a, b) => a - b);
  if ((lengths.at(-1) ?? 0) > LONGEST_TOKEN)
    options.refuse('vocab', `tokens of more than ${LONGEST_TOKEN} characters are not built`);
  const fallsBack = options.flag('byte_fallback', false);
  const unknownScore = scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;

  /** The ends of the tokens of the best path, from the last to the first, with null for an unknown character. */
  const bestPath = (
    text: string,
  ): { readonly from: number; readonly to: number; readonly isUnknown: boolean }[] => {
    const best: (
      | { readonly score: number; readonly from: number; readonly isUnknown: boolean }
      | undefined
    )[] = [];
    const offer = (from: number, to: number, score: number, isUnknown: boolean): void => {
      const total = (best[from]?.score ?? 0) + score;
      if (total > (best[to]?.score ?? -Infinity) || best[to] === undefined)
        best[to] = { score: total, from, isUnknown };
    };
    for (let from = 0; from < text.length;) {
      const width = (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
      let hasSingle = false;
      for (const length of lengths) {
        if (length === 0 || from + length > text.length) continue;
        const id = ids.get(text.slice(from, from + length));
        if (id === undefined) continue;
        offer(from, from + length, scores[id] ?? 0, id === unknownId);
        hasSingle ||= length === width;
      }
      if (!hasSingle) {
        if (unknownId === null)
          options.refuse('unk_id', `a token for ${JSON.stringify(text.slice(from, from + width))} is needed`);
        offer(from, from + width, unknownScore, true);
      }
      from += width;
    }
    const path = [];
    for (let to = text.length; to > 0;) {
      const { from = 0, isUnknown = true } = best[to] ?? {};
      path.push({ from, to, isUnknown });
      to = from;
    }
    return path.toReversed();
  };

  return (text) => {
    const parts: string[] = [];
    let wasUnknown = false;
    for (const { from, to, isUnknown } of bestPath(text)) {
      const part = text.slice(from, to);
      if (isUnknown && wasUnknown) parts.push((parts.pop() ?? '') + part);
      else parts.push(part);
      wasUnknown = isUnknown;
    }
    return parts.flatMap((part) => {
      const id = ids.get(part);
      if (id !== undefined) return [id];
      const bytes = fallsBack ? byteTokens(part).map((token) => ids.get(token)) : [undefined];
      return bytes.every((byte) => byte !== undefined) ? bytes : [unknownId ?? 0];
    });
  };
}
