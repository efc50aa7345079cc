/** Which settings the form shows: apart from its other rules, because what the conditions need is not loaded before the first paint. */
import {
  sameValue,
  hasMeaning,
  type FieldKey,
  type RunConfig,
  type FieldDescription,
  snakeName,
} from '@rl-playground/run/settings';
import { usualValue } from './settings.ts';

/** Whether the form shows the setting: it decides something, differs from its default, or has to be put right. */
export function isShown(form: RunConfig, key: FieldKey, errors: ReadonlyMap<FieldKey, string>): boolean {
  return hasMeaning(form, key) || errors.has(key) || !sameValue(form[key], usualValue(form, key));
}

/** Those with every word of `query` in their name, group or help, in any order; all of them for an empty one. */
export function findSettings(fields: readonly FieldDescription[], query: string): FieldDescription[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ key, label, group, help }) => {
    const text = [label, group, help, key, snakeName(key)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
