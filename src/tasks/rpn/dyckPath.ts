/** Dyck paths by rank: a uniform rank gives a uniform shape of a binary tree. */

function binomial(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let value = 1;
  for (let i = 1; i <= k; i++) value = (value * (n - k + i)) / i;
  return Math.round(value);
}

/** Number of Dyck paths with `pairs` steps up; exact up to 30 pairs. */
export function catalan(pairs: number): number {
  return binomial(2 * pairs, pairs) - binomial(2 * pairs, pairs - 1);
}

/**
 * The path of that rank (from 0) in the order that puts up before down: true is a step up. At each position the paths that go on with
 * a step up are counted by reflection: C(rest, ups left) − C(rest, ups left − 1).
 */
export function dyckPath(pairs: number, rank: number): boolean[] {
  const path: boolean[] = [];
  let upsLeft = pairs;
  let left = rank;
  for (let rest = 2 * pairs - 1; rest >= 0; rest--) {
    const goingUp = binomial(rest, upsLeft - 1) - binomial(rest, upsLeft - 2);
    const up = left < goingUp;
    if (up) upsLeft--;
    else left -= goingUp;
    path.push(up);
  }
  return path;
}
