/** Tells whether a run may go on under other settings. */
import { sameValue } from '../settings/schema/fields.ts';
import type { RunConfig } from '../settings/schema/schema.ts';

/** The settings that may change while a run goes on: no sample or update that was made depends on them. */
const CHANGEABLE: ReadonlySet<keyof RunConfig> = new Set([
  'numSteps',
  'numGenerators',
  'evalEvery',
  'klMeasuredShare',
  'saveSteps',
  'preset',
]);

/** True if a run begun with `before` may go on with `after`. */
export function sameRun(before: RunConfig, after: RunConfig): boolean {
  const keys = Object.keys(before) as (keyof RunConfig)[];
  return keys.every((key) => CHANGEABLE.has(key) || sameValue(before[key], after[key]));
}
