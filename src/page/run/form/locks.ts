/** Settings that the link of a class keeps as they are, whatever is pressed on the page. */
import type { FieldKey, RunConfig } from '@rl-playground/run/settings';

export type Locked = ReadonlySet<FieldKey>;

/** Whether a change is one that the link does not allow. */
export function touchesLocked(keys: readonly string[], locked: Locked): boolean {
  return [...locked].some((key) => keys.includes(key));
}

/** The changed form with the locked settings as they were. */
export function withLocked(before: RunConfig, after: RunConfig, locked: Locked): RunConfig {
  if (locked.size === 0) return after;
  return { ...after, ...Object.fromEntries([...locked].map((key) => [key, before[key]])) };
}

/** Why something that sets many settings at once can't be done. */
export const LINK_KEEPS = 'The link that opened this page keeps settings as they are.';
