/** Looking a setting up by what a person knows of it. */
import type { FieldDescription } from '../../../config/describe.ts';
import { snakeName } from '../../../config/names.ts';

/** Those with every word of `query` in their name, group or help, in any order; all of them for an empty one. */
export function findSettings(fields: readonly FieldDescription[], query: string): FieldDescription[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return fields.filter(({ key, label, group, help }) => {
    const text = [label, group, help, key, snakeName(key)].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
