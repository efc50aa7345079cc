/** How the settings of one run differ from those of another, in words. */
import { textOfValue } from '../../config/describe.ts';
import { changedBetween } from '../../config/differences.ts';
import type { FieldKey, RunConfig } from '../../config/schema.ts';
import { fieldOf } from '../form/settings.ts';

/** More than this is no difference that a line can say. */
const MOST = 4;
const LONGEST = 28;

/** A setting's value as it is read. */
export function valueText(config: RunConfig, key: FieldKey): string {
  const text = textOfValue(config[key]);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** "Learning rate 0.0003 → 0.00003, Seed 1 → 2". */
export function changesText(before: RunConfig, after: RunConfig): string {
  const keys = changedBetween(before, after);
  if (keys.length === 0) return 'the same settings';
  const words = keys
    .slice(0, MOST)
    .map((key) => `${fieldOf(key).label} ${valueText(before, key)} → ${valueText(after, key)}`);
  const more = keys.length - words.length;
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
