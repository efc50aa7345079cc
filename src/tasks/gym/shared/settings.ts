/** Rules between a task's settings. */

/** What is wrong where the first field of a pair exceeds the second; null where none does. */
export function outOfOrder<Key extends string>(
  config: Readonly<Record<Key, number>>,
  pairs: readonly (readonly [low: Key, high: Key])[],
): string | null {
  for (const [low, high] of pairs) {
    if (config[low] > config[high])
      return `${low}: ${config[low]} is more than ${high}, ${config[high]}; choose at most ${config[high]}.`;
  }
  return null;
}

/** Number of multisets of `size` members of `kinds` kinds. */
export function multisets(kinds: number, size: number): number {
  let count = 1;
  for (let i = 0; i < size; i++) count = (count * (kinds + i)) / (i + 1);
  return count;
}

/** `count` where a form should mention it: problems soon come again below 2,000. */
export function smallSpace(count: number): number | null {
  return count < 2000 ? Math.round(count) : null;
}
