/** Counting a task's problems where there is no formula for their number. */
import { drawsFor } from '../random.ts';
import { smallSpace } from './settings.ts';

/** Three for each of the 2,000 up to which a form mentions a number: 95 % of as many equally likely problems are among them. */
const DRAWS = 6000;
const known = new Map<string, number | null>();

/**
 * The distinct keys among 6,000 draws, or null from 2,000 on: a little below the number of problems. `name` stands for the settings,
 * for which it is counted once.
 */
export function sampledSpace(
  name: string,
  drawKey: (draw: () => number) => string | undefined,
): number | null {
  const before = known.get(name);
  if (before !== undefined) return before;
  const seen = new Set<string | undefined>();
  for (let i = 0; i < DRAWS && smallSpace(seen.size) !== null; i++) seen.add(drawKey(drawsFor(i)));
  const result = smallSpace(seen.size);
  known.set(name, result);
  return result;
}
