/** The settings that the form shows. This comes after the first paint, because the conditions do. */
import {
  sameValue,
  hasMeaning,
  type FieldKey,
  type RunConfig,
  type FieldDescription,
  snakeName,
} from '@rl-playground/run/settings';
import { usualValue } from './settings.ts';

/** True if the setting decides something, differs from its default, or has an error. */
export function isShown(form: RunConfig, key: FieldKey, errors: ReadonlyMap<FieldKey, string>): boolean {
  return hasMeaning(form, key) || errors.has(key) || !sameValue(form[key], usualValue(form, key));
}

/** The settings with every word of `query` in their name, group or help. */
export function findSettings(fields: readonly FieldDescription[], query: string): FieldDescription[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ key, label, group, help }) => {
    const text = [label, group, help, key, snakeName(key)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
