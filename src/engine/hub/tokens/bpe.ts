/** Byte-pair encoding: neighbours merge in the order of the list of merges. */
import { byteTokens } from './byteAlphabet.ts';
import type { Options } from './options.ts';
import { Queue } from './queue.ts';
import type { Model, Vocabulary } from './types.ts';

/** More than the largest id (`tokenIds.ts`). */
const ID_SPAN = 2 ** 22;
/** Words up to this length are remembered, as many as `MOST_WORDS`. */
const LONGEST_WORD = 256;
const MOST_WORDS = 10_000;

/** A pair of ids as one number. */
const pairOf = (left: number, right: number): number => left * ID_SPAN + right;

class Merges {
  /** The rank of each pair. */
  readonly #ranks = new Map<number, number>();
  /** The id that each rank makes. */
  readonly #made: number[] = [];

  constructor(options: Options, ids: Vocabulary, prefix: string) {
    const idOf = (token: string, merge: unknown): number =>
      ids.get(token) ??
      options.refuse(
        'merges',
        `the merge ${JSON.stringify(merge)} needs ${JSON.stringify(token)} in the vocabulary`,
      );
    const lines = options.list('merges').filter((line) => !String(line).startsWith('#version'));
    for (const [rank, line] of lines.entries()) {
      const pair: unknown = typeof line === 'string' ? line.split(' ') : line;
      const [left, right, more] = Array.isArray(pair) ? (pair as unknown[]) : [];
      if (typeof left !== 'string' || typeof right !== 'string' || more !== undefined)
        options.refuse('merges', `${JSON.stringify(line)} is no pair of tokens`);
      this.#ranks.set(pairOf(idOf(left, line), idOf(right, line)), rank);
      this.#made.push(idOf(left + right.slice(prefix.length), line));
    }
  }

  rankOf(left: number, right: number): number | undefined {
    return this.#ranks.get(pairOf(left, right));
  }

  madeBy(rank: number): number {
    return this.#made[rank] ?? 0;
  }
}

/** Merges ids until no pair is in the list: the pair of the lowest rank first, from left to right among equals. */
function merged(ids: number[], merges: Merges): number[] {
  const { length } = ids;
  const next = Array.from(ids, (_, i) => i + 1);
  const previous = Array.from(ids, (_, i) => i - 1);
  const isGone = new Uint8Array(length + 1);
  isGone[length] = 1;
  const queue = new Queue();
  const consider = (left: number): void => {
    const right = left < 0 ? length : (next[left] ?? length);
    if (right >= length) return;
    const rank = merges.rankOf(ids[left] ?? 0, ids[right] ?? 0);
    if (rank !== undefined) queue.add(rank * length + left);
  };
  for (let i = 0; i + 1 < length; i++) consider(i);
  for (let first = queue.take(); first !== null; first = queue.take()) {
    const left = first % length;
    const right = next[left] ?? length;
    if (isGone[left] === 1 || right >= length) continue;
    const made = merges.madeBy((first - left) / length);
    const rank = merges.rankOf(ids[left] ?? 0, ids[right] ?? 0);
    // The neighbours may have merged with others meanwhile.
    if (rank === undefined || merges.madeBy(rank) !== made) continue;
    ids[left] = made;
    isGone[right] = 1;
    next[left] = next[right] ?? length;
    previous[next[left] ?? length] = left;
    consider(previous[left] ?? -1);
    consider(left);
  }
  return ids.filter((_, i) => isGone[i] === 0);
}

/** @throws OptionError */
export function bpeOf(options: Options, ids: Vocabulary): Model {
  const prefix = options.textOrNull('continuing_subword_prefix') ?? '';
  const suffix = options.textOrNull('end_of_word_suffix') ?? '';
  const unknown = options.textOrNull('unk_token');
  const fusesUnknown = options.flag('fuse_unk', false);
  const fallsBack = options.flag('byte_fallback', false);
  const ignoresMerges = options.flag('ignore_merges', false);
  const dropout = options.get('dropout');
  if (dropout != null && dropout !== 0)
    options.refuse('dropout', 'only 0 is built, because it makes ids random');
  const merges = new Merges(options, ids, prefix);
  const words = new Map<string, readonly number[]>();

  /** The ids of single characters, before they merge. */
  const characterIds = (text: string): number[] => {
    const found: number[] = [];
    let waiting: number | null = null;
    const characters = [...text];
    for (const [i, character] of characters.entries()) {
      const token = (i > 0 ? prefix : '') + character + (i === characters.length - 1 ? suffix : '');
      const id = ids.get(token);
      const bytes =
        id === undefined && fallsBack ? byteTokens(token).map((each) => ids.get(each)) : [undefined];
      if (id === undefined && bytes.every((each) => each !== undefined)) {
        found.push(...bytes);
        continue;
      }
      if (waiting !== null && (id !== undefined || !fusesUnknown)) found.push(waiting);
      waiting = null;
      if (id !== undefined) found.push(id);
      else if (unknown !== null)
        waiting =
          ids.get(unknown) ??
          options.refuse('unk_token', `it is needed for ${JSON.stringify(token)} and no token`);
    }
    return waiting === null ? found : [...found, waiting];
  };

  const wordIds = (text: string): readonly number[] => {
    const whole = ignoresMerges ? ids.get(text) : undefined;
    if (whole !== undefined) return [whole];
    const known = words.get(text);
    if (known !== undefined) return known;
    const found = merged(characterIds(text), merges);
    if (words.size >= MOST_WORDS) words.clear();
    if (text.length < LONGEST_WORD) words.set(text, found);
    return found;
  };
  return wordIds;
}
