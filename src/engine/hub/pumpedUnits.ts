/**
 * Short texts that a pattern of a tokenizer may backtrack over when they are repeated. Steps that grow with a power of the length, or
 * double with it, come from a repeated part that can be matched in more than one way. Such a part consists of characters that the
 * pattern names, or of members of its classes.
 */

/** A member of each class that patterns of tokenizers have: letters in both cases, digits, spaces, line ends, marks, other writings. */
const OF_CLASSES: readonly string[] = ['a', 'A', '1', ' ', '\n', '!', "'", 'é', '漢', ' a', 'a1', 'Aa'];
/** The most units that a pattern names; each is tried at several lengths. */
const MOST_UNITS = 24;
const LONGEST_UNIT = 8;
const DEEPEST = 50;

function* regexesIn(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  for (const [key, inside] of Object.entries(value) as [string, unknown][]) {
    if (typeof inside === 'string' && key === 'Regex') yield inside;
    else yield* regexesIn(inside, depth + 1);
  }
}

/** The regular expressions of a parsed `tokenizer.json`. Its model, the largest part, has none. */
export function patternsIn(tokenizerJson: object): ReadonlySet<string> {
  const parts = Object.entries(tokenizerJson).filter(([name]) => name !== 'model' && name !== 'added_tokens');
  return new Set(regexesIn(Object.fromEntries(parts), 0));
}

/** The characters that a pattern names: runs of them, and each by itself. */
function literalsOf(pattern: string): string[] {
  const plain = pattern.replaceAll(/\\[pP]\{[^}]*\}|\\[a-zA-Z]|\(\?(?:[:=!]|<[=!]|[a-z]*:?)/g, ' ');
  const runs = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const marks = plain.match(/[^\p{L}\p{N}\s()[\]{}?*+|\\^$]/gu) ?? [];
  return [...runs.flatMap((run) => [run.slice(0, LONGEST_UNIT), ...run.slice(0, LONGEST_UNIT)]), ...marks];
}

/** The units of one pattern. */
export function pumpedUnits(pattern: string): readonly string[] {
  const literals = new Set(literalsOf(pattern.slice(0, 10_000)));
  return [...new Set([...OF_CLASSES, ...[...literals].slice(0, MOST_UNITS)])];
}
