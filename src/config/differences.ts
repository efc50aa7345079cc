/** What of a run's settings differs from those of its task and preset. */
import { sameValue } from './fields.ts';
import { defaultConfig } from './presets.ts';
import { FIELD_KEYS, RUN_FIELDS, type FieldKey, type RunConfig } from './schema.ts';

/** Task and preset are compared with what a new form has. */
export function differingKeys(config: RunConfig): FieldKey[] {
  const base = defaultConfig(config.task, config.preset);
  return FIELD_KEYS.filter((key) => {
    const usual = key === 'task' || key === 'preset' ? RUN_FIELDS[key].info.default : base[key];
    return !sameValue(config[key], usual);
  });
}
