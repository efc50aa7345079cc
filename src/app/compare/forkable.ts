/** Settings that a run can be forked with: those that decide how it goes on, not what was decided when it began. */
import { parseConfig, type ParsedConfig } from '../../config/check.ts';
import { FIELDS, textOfValue, valueFromText, type FieldDescription } from '../../config/describe.ts';
import { hasMeaning } from '../../config/meaning.ts';
import type { FieldKey, RunConfig } from '../../config/schema.ts';

const GROUPS: ReadonlySet<FieldDescription['group']> = new Set([
  'Loss',
  'Advantage',
  'KL',
  'Updates',
  'Sampling',
  'Optimizer',
]);

/** Not in mid-run: a value head begins with a run, and what KL is measured against was what it began from. */
const DECIDED: ReadonlySet<FieldKey> = new Set(['baseline', 'klReference']);

/** Those that decide something under the run's other settings. */
export function forkableFields(config: RunConfig): FieldDescription[] {
  return FIELDS.filter(
    ({ key, group, type }) =>
      (key === 'seed' || GROUPS.has(group)) &&
      type !== 'structure' &&
      !DECIDED.has(key) &&
      hasMeaning(config, key),
  );
}

/** The run's settings with one of them as `text` says; what is wrong with it where it can't be. */
export function changedConfig(config: RunConfig, key: FieldKey, text: string): ParsedConfig {
  if (text.trim() === textOfValue(config[key]))
    return { ok: false, errors: [`It is ${text.trim()} already. Change it, or continue the run.`] };
  return parseConfig({ ...config, [key]: valueFromText(key, text.trim()) });
}
