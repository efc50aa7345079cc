/** Measures of how far computed numbers are from expected ones. NaN counts as infinitely far. */

/** Largest absolute difference over `indices` (all of `expected` by default). */
export function worstDifference(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  indices: Iterable<number> = Array.from(expected, (_, i) => i),
): number {
  let worst = 0;
  for (const i of indices) {
    const difference = Math.abs((actual[i] ?? NaN) - (expected[i] ?? NaN));
    if (!(difference <= worst)) worst = Number.isNaN(difference) ? Infinity : difference;
  }
  return worst;
}

const norm = (values: ArrayLike<number>): number =>
  Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));

/** ‖actual − expected‖ / ‖expected‖, or Infinity if the lengths differ. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  const error = norm(Array.from(actual, (value, i) => value - (expected[i] ?? NaN))) / norm(expected);
  return Number.isNaN(error) ? Infinity : error;
}

/** Names and numbers on one line, the largest first, for a test's notes. */
export function summary(numbers: Readonly<Record<string, number>>): string {
  const entries = Object.entries(numbers).sort(([, a], [, b]) => b - a);
  return entries.map(([name, value]) => `${name} ${value.toExponential(1)}`).join(', ');
}
