/** The number of problems that settings leave, found by drawing. */
import { drawsFor, type Draw } from '@rl-playground/base/random';
import { smallSpace } from '../../define/define.ts';

const MOST_DRAWS = 6000;
const LEAST_PROBLEMS = 300;
/** The mean number of appearances at which 94 % of equally likely problems have been seen. */
const REPEATS = 3;
const known = new Map<string, number | null>();

function count(drawKey: (draw: Draw) => string | null | undefined): number | null {
  const seen = new Set<string>();
  let problems = 0;
  for (let i = 0; i < MOST_DRAWS && smallSpace(seen.size) !== null; i++) {
    const key = drawKey(drawsFor(i)) ?? null;
    if (key === null) continue;
    seen.add(key);
    problems++;
    if (problems >= LEAST_PROBLEMS && problems >= REPEATS * seen.size) return seen.size;
  }
  return null;
}

/**
 * The number of distinct problems, or a little less: the keys that have appeared once each came three times on average. Null from 2,000 on
 * and if too few problems come. `name` stands for the settings, which are counted once.
 */
export function sampledSpace(
  name: string,
  drawKey: (draw: Draw) => string | null | undefined,
): number | null {
  const before = known.get(name);
  const result = before === undefined ? count(drawKey) : before;
  known.set(name, result);
  return result;
}
