/** Wilson score interval of a share (Wilson 1927): unlike p ± z·s it stays inside [0, 1] and works at 0 and 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Half of the interval's width. */
  readonly half: number;
}

const Z_95 = 1.959964;

/** 95% interval of a `share` counted over `n` independent trials; null when there were none. */
export function wilson95(share: number, n: number): Interval | null {
  if (!(n > 0) || !Number.isFinite(share)) return null;
  const z2 = Z_95 * Z_95;
  const scale = 1 + z2 / n;
  const centre = (share + z2 / (2 * n)) / scale;
  const half = (Z_95 / scale) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half), half };
}
