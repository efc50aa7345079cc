/** The settings that the link of a class locks. */
import type { FieldKey, RunConfig } from '@rl-playground/run/settings';

export type Locked = ReadonlySet<FieldKey>;

export function touchesLocked(keys: readonly string[], locked: Locked): boolean {
  return [...locked].some((key) => keys.includes(key));
}

export function withLocked(before: RunConfig, after: RunConfig, locked: Locked): RunConfig {
  if (locked.size === 0) return after;
  return { ...after, ...Object.fromEntries([...locked].map((key) => [key, before[key]])) };
}

export const LINK_KEEPS = 'The link that opened this page locks settings.';
