/** The scores that most of reasoning-gym's datasets share. */
import { stripSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../types.ts';

/**
 * The base score: 1 for the very text; `upstream` also gives the truth's share of the length to any answer that holds the truth
 * somewhere (`130` for `30`); `strict` gives nothing for that, and forgives whitespace at the ends.
 */
export function textScore(candidate: string | null, truth: string, mode: ScoringMode): number {
  if (candidate === null || candidate === '') return 0;
  if (mode === 'strict') return stripSpace(candidate) === stripSpace(truth) ? 1 : 0;
  if (candidate === truth) return 1;
  return candidate.includes(truth) ? codePoints(truth) / codePoints(candidate) : 0;
}

/** Python's `len`: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** Longer answers are not read as lists, so that scoring stays quick; no right answer comes near. */
export const MOST_READ = 30_000;
