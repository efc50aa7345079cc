/** Keys of other systems' configurations that have no meaning here, by the reason: RL for Real's and TRL's, the Tinker cookbook's, and RLVR's. */
import { words } from './reader.ts';
import REASONS from './reasons.json' with { type: 'json' };

/** The keys of each reason have spaces between them. One that ends in a star means all that begin so. */
const reasonsByKey = (table: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([reason, keys]) => words(keys).map((key) => [key, reason] as const)),
  );

const TRL_REASONS = reasonsByKey(REASONS.trl);
const TINKER_REASONS = reasonsByKey(REASONS.tinker);
const RLVR_REASONS = reasonsByKey(REASONS.rlvr);

const GENERATION_REASONS = reasonsByKey(REASONS.generation);

type Reasons = ReadonlyMap<string, string>;

/** The keys without a meaning that are known by their whole name. */
const wholeNames = (reasons: Reasons): readonly string[] =>
  [...reasons.keys()].filter((key) => !key.endsWith('*'));
export const MEANINGLESS_KEYS = wholeNames(TRL_REASONS);
export const GENERATION_KEYS = wholeNames(GENERATION_REASONS);

function reasonIn(reasons: Reasons, key: string): string | null {
  const begins = ([known]: readonly [string, string]) =>
    known.endsWith('*') && key.startsWith(known.slice(0, -1));
  return reasons.get(key) ?? [...reasons].find(begins)?.[1] ?? null;
}

/** The reason why a key has no meaning here; null for a key that is not known at all. */
export const trlReason = (key: string): string | null => reasonIn(TRL_REASONS, key);

/** The same for a key of `generation_kwargs`. */
export const generationReason = (key: string): string | null => reasonIn(GENERATION_REASONS, key);

/** The reason why a setting of the cookbook has no meaning here; null for any other name. */
export function tinkerReason(name: string): string | null {
  return TINKER_REASONS.get(name.split('.')[0] ?? '') ?? null;
}

/** The reason why a group or a key of RLVR's outermost level has no meaning here; undefined for any other name. */
export const rlvrReason = (key: string): string | undefined => RLVR_REASONS.get(key);
