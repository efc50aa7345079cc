/** Which settings a run may go on under. */
import { sameValue } from '../settings/schema/fields.ts';
import type { RunConfig } from '../settings/schema/schema.ts';

/** Settings that may change while a run goes on: they do not enter any sample or update already made. */
const CHANGEABLE: ReadonlySet<keyof RunConfig> = new Set([
  'numSteps',
  'numGenerators',
  'evalEvery',
  'klMeasuredShare',
  'saveSteps',
  'preset',
]);

/** Whether a run begun with `before` may go on with `after`. */
export function sameRun(before: RunConfig, after: RunConfig): boolean {
  const keys = Object.keys(before) as (keyof RunConfig)[];
  return keys.every((key) => CHANGEABLE.has(key) || sameValue(before[key], after[key]));
}
