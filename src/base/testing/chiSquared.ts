/** Goodness of fit of counts to a distribution. */

/** Σ (observed − expected)² / expected over the outcomes that can occur, and their number less one. */
export function chiSquared(
  counts: ArrayLike<number>,
  probabilities: ArrayLike<number>,
): { statistic: number; freedom: number } {
  const draws = Array.from(counts).reduce((sum, count) => sum + count, 0);
  let statistic = 0;
  let freedom = -1;
  for (let i = 0; i < probabilities.length; i++) {
    const expected = draws * (probabilities[i] ?? 0);
    const observed = counts[i] ?? 0;
    if (expected === 0 && observed === 0) continue;
    statistic += (observed - expected) ** 2 / expected;
    freedom++;
  }
  return { statistic, freedom };
}

/** The value that χ² exceeds by chance about once in 10⁶ (Wilson and Hilferty's approximation of its quantile). */
export function chiSquaredBound(freedom: number): number {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 4.753 * Math.sqrt(spread)) ** 3;
}
