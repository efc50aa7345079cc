/**
 * Scores for tokenizers that SentencePiece made, or that are made like its own: BPE on characters, with ▁ for a space and bytes for
 * characters without a token. llama.cpp (`llama`) has no list of merges: among all neighbours that make a token together it joins those
 * whose token has the highest score, the leftmost first. So scores have to express the order of merges, and no other two neighbours may
 * make a token.
 */

export interface Merges {
  readonly vocab: Readonly<Record<string, number>>;
  /** The merges in the order in which they are made. */
  readonly merges: readonly (readonly [string, string])[];
}

/** The ranks of merges by their pair, and by the token that they make. */
class Ranks {
  readonly #ranks = new Map<string, number>();
  readonly #made = new Map<string, number[]>();

  constructor(merges: Merges['merges']) {
    merges.forEach(([left, right], rank) => {
      const pair = Ranks.#key(left, right);
      if (this.#ranks.has(pair)) return;
      this.#ranks.set(pair, rank);
      this.#made.set(left + right, [...(this.#made.get(left + right) ?? []), rank]);
    });
  }

  /** The space is in no token, because ▁ stands for it. */
  static #key(left: string, right: string): string {
    return `${left} ${right}`;
  }

  of(left: string, right: string): number | undefined {
    return this.#ranks.get(Ranks.#key(left, right));
  }

  /** The ranks of the merges that make a token, ascending. */
  making(token: string): readonly number[] {
    return this.#made.get(token) ?? [];
  }

  /** The symbols of a text when all merges before `rank` have been made. */
  merged(text: string, rank: number): string[] {
    const symbols = [...text];
    for (;;) {
      let [best, at] = [rank, -1];
      for (let i = 0; i + 1 < symbols.length; i++) {
        const found = this.of(symbols[i] ?? '', symbols[i + 1] ?? '');
        if (found !== undefined && found < best) [best, at] = [found, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, (symbols[at] ?? '') + (symbols[at + 1] ?? ''));
    }
  }
}

/** True if merging a text makes exactly these symbols at some time. */
const reaches = (ranks: Ranks, symbols: readonly string[], rank: number): boolean => {
  const merged = ranks.merged(symbols.join(''), rank);
  return merged.length === symbols.length && merged.every((symbol, i) => symbol === symbols[i]);
};

/** The halves of a token that llama.cpp may meet as neighbours: tokens, or characters, of which not all have a token. */
function* cuts(token: string, vocab: Merges['vocab']): Generator<[left: string, right: string]> {
  const isSymbol = (text: string): boolean => Object.hasOwn(vocab, text) || [...text].length === 1;
  for (let i = 1; i < token.length; i++) {
    const [left, right] = [token.slice(0, i), token.slice(i)];
    if (isSymbol(left) && isSymbol(right)) yield [left, right];
  }
}

/** True if llama.cpp would ever join two neighbours to this token differently from the merges. */
function joinsOtherwise(token: string, ranks: Ranks, vocab: Merges['vocab']): boolean {
  const made = ranks.making(token);
  const [first = Number.POSITIVE_INFINITY] = made;
  // Another token made in between would have a score in between.
  if (made.length > 0 && (made.at(-1) ?? 0) - first !== made.length - 1) return true;
  for (const [left, right] of cuts(token, vocab)) {
    const rank = ranks.of(left, right);
    // Parts of a text are merged as they are by themselves, so the pair comes up only if it does in the token's own text.
    if (rank === undefined && reaches(ranks, [left, right], first)) return true;
    // If the pair overlaps another of the same token, the leftmost is joined, whatever their ranks.
    for (const [middle, end] of cuts(token, vocab)) {
      const next = ranks.of(middle, end);
      const overlaps = rank !== undefined && next !== undefined && right === middle && next < rank;
      if (overlaps && reaches(ranks, [left, right, end], first)) return true;
    }
  }
  return false;
}

/**
 * The scores by id of the tokens that merges make, higher for earlier ones; null if llama.cpp would cut some text differently. `special` tokens
 * are cut out of a text before.
 */
export function scoresOf(
  { vocab, merges }: Merges,
  special: ReadonlySet<string>,
): Map<number, number> | null {
  const ranks = new Ranks(merges);
  const scores = new Map<number, number>();
  for (const [token, id] of Object.entries(vocab)) {
    if (special.has(token)) continue;
    if (joinsOtherwise(token, ranks, vocab)) return null;
    const [first] = ranks.making(token);
    if (first !== undefined) scores.set(id, -1 - first);
  }
  return scores;
}
