/** Divides the rows of a batch among microbatches: it chooses their order and the places where the order is cut. */

/** The padded length of a row, its tokens, and the number of its prompt: rows with equal prompts have the same. */
export interface RowSize {
  readonly length: number;
  readonly prompt: number;
  readonly tokens: number;
  readonly group: number;
}

export interface Cut {
  readonly begin: number;
  readonly end: number;
}

/** The order of rows by index, its cuts, and whether rows with equal prompts compute them once. */
export interface Division {
  readonly order: readonly number[];
  readonly cuts: readonly Cut[];
  readonly shares: boolean;
}

/** The share of a microbatch's capacity that another microbatch must save at least, because it costs dispatches and keeps a GPU less busy. */
const MICROBATCH_COST = 1 / 8;

/** The share of the positions that shared prompts must save at least, because rows are copied for attention. */
export const LEAST_GAIN = 1 / 8;

/** Attention, in which every row has a copy of its prompt, may have so many times the positions of a microbatch. */
export const MOST_COPIED = 2;

/**
 * Divides rows so that no microbatch computes more than `maxTokens` positions (a single row may), and so that there are few positions in
 * few microbatches. Rows come by their length. Where shared prompts save enough, groups come by the length of their longest row.
 */
export function divided(rows: readonly RowSize[], maxTokens: number): Division {
  const byLength = rows.map((row, index) => ({ ...row, index })).sort((a, b) => b.length - a.length);
  const apart = cheapest(rows.length, maxTokens, paddedSizes(byLength));
  const longest = new Map<number, number>();
  for (const { group, length } of byLength) if (!longest.has(group)) longest.set(group, length);
  const inGroups = byLength.toSorted(
    (a, b) => (longest.get(b.group) ?? 0) - (longest.get(a.group) ?? 0) || a.group - b.group,
  );
  const once = cheapest(rows.length, maxTokens, sharedSizes(inGroups, maxTokens));
  const shares = once.cost < apart.cost && once.positions <= (1 - LEAST_GAIN) * apart.positions;
  return {
    order: (shares ? inGroups : byLength).map(({ index }) => index),
    cuts: (shares ? once : apart).cuts,
    shares,
  };
}

/** The positions of a piece up to a given end. It is asked for one begin after the other, from the last row towards the first. */
type SizesUpTo = (end: number) => (begin: number) => number;

/** All rows are padded to the length of the longest, which comes first. */
const paddedSizes =
  (rows: readonly RowSize[]): SizesUpTo =>
  (end) =>
  (begin) =>
    (end - begin) * (rows[begin]?.length ?? 0);

/** A shared prompt counts once, and the padding of its piece does not count. A piece with too many copies is too large. */
const sharedSizes =
  (rows: readonly RowSize[], maxTokens: number): SizesUpTo =>
  (end) => {
    let [positions, longest, shares] = [0, 0, false];
    return (begin) => {
      const { length, prompt, tokens, group } = rows[begin] ?? { length: 0, prompt: 0, tokens: 1, group: -1 };
      const isBehind = begin + 1 < end && rows[begin + 1]?.group === group;
      positions += (isBehind ? 0 : prompt) + tokens - 1;
      longest = Math.max(longest, length);
      shares ||= isBehind;
      const padded = (end - begin) * longest;
      if (!shares) return padded;
      return padded > MOST_COPIED * maxTokens ? Infinity : positions;
    };
  };

/**
 * The cheapest way to cut the order into pieces of at most `maxTokens`. A piece costs its positions, plus `MICROBATCH_COST`. Found by
 * dynamic programming over the beginning of the last piece; among equals the longest piece wins.
 */
function cheapest(
  count: number,
  maxTokens: number,
  sizesUpTo: SizesUpTo,
): { cuts: Cut[]; cost: number; positions: number } {
  const extra = maxTokens * MICROBATCH_COST;
  const costs = [0];
  const begins = [0];
  for (let end = 1; end <= count; end++) {
    const sizeFrom = sizesUpTo(end);
    let [best, from] = [Infinity, end - 1];
    for (let begin = end - 1; begin >= 0; begin--) {
      const size = sizeFrom(begin);
      if (size > maxTokens && end - begin > 1) break;
      const cost = (costs[begin] ?? 0) + size + extra;
      if (cost <= best) [best, from] = [cost, begin];
    }
    costs.push(best);
    begins.push(from);
  }
  const cuts: Cut[] = [];
  for (let end = count; end > 0; end = begins[end] ?? 0) cuts.unshift({ begin: begins[end] ?? 0, end });
  const cost = costs[count] ?? 0;
  return { cuts, cost, positions: cost - cuts.length * extra };
}
