/** The settings of a run that differ from those of its task and preset. */
import { sameValue } from './schema/fields.ts';
import { defaultConfig } from './presets/presets.ts';
import { FIELD_KEYS, RUN_FIELDS, type FieldKey, type RunConfig } from './schema/schema.ts';

/** Task and preset are compared with what a new form has. */
export function differingKeys(config: RunConfig): FieldKey[] {
  const base = defaultConfig(config.task, config.preset);
  return FIELD_KEYS.filter((key) => {
    const usual = key === 'task' || key === 'preset' ? RUN_FIELDS[key].info.default : base[key];
    return !sameValue(config[key], usual);
  });
}

/**
 * The settings that differ between two runs. If their task or preset differs, settings that both leave at its defaults say nothing of their
 * own, and are left out.
 */
export function changedBetween(before: RunConfig, after: RunConfig): FieldKey[] {
  const sameBase = before.task === after.task && before.preset === after.preset;
  const chosen = new Set([...differingKeys(before), ...differingKeys(after)]);
  return FIELD_KEYS.filter(
    (key) =>
      !sameValue(before[key], after[key]) &&
      (sameBase || key === 'task' || key === 'preset' || chosen.has(key)),
  );
}

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
