/** Finds the name that a misspelt one most likely stands for. */

/** Spelling without case and separators: "Group-Size" and `group_size` are one. */
const plain = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');

/** Longer texts are no misspelt names. */
const LONGEST_NAME = 60;

/**
 * Optimal string alignment distance (Damerau 1964; Boytsov 2011, section 3): insertions, deletions, substitutions and swaps of neighbours
 * that make one text the other.
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? Infinity) + 1,
          (row[j - 1] ?? Infinity) + 1,
          (last[j - 1] ?? Infinity) + (same ? 0 : 1),
          swapped ? (beforeLast[j - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/** "numSteps" and `num_steps` are "num" and "steps". */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[-_\s]+/);

/** "learnRate" for "learning_rate": each word begins as the one in its place. */
function shortens(name: string, whole: string): boolean {
  const [words, wholeWords] = [wordsOf(name), wordsOf(whole)];
  return (
    words.length === wholeWords.length &&
    words.every((word, i) => word.length > 1 && wholeWords[i]?.startsWith(word) === true)
  );
}

/**
 * The nearest of `names` with at most one edit in four signs, else one that `name` shortens; null where there is neither. The first of
 * equally near ones.
 */
export function closestName(name: string, names: readonly string[]): string | null {
  if (name.length > LONGEST_NAME) return null;
  const wanted = plain(name);
  let found: string | null = null;
  let fewest = Math.floor(wanted.length / 4) + 1;
  for (const each of names) {
    const other = plain(each);
    if (Math.abs(other.length - wanted.length) >= fewest) continue;
    const edits = editDistance(wanted, other);
    if (edits < fewest) [found, fewest] = [each, edits];
  }
  return found ?? names.find((each) => shortens(name, each)) ?? null;
}
