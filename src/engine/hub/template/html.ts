/** The escapes of HTML, as MarkupSafe writes them. */
import { str } from './printing.ts';
import { Markup, type Value } from './values.ts';
import { spendOn } from './work.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

/** The text of a value with its special characters escaped; what is marked as safe stays as it is. */
export function escaped(value: Value): string {
  if (value instanceof Markup) return value.text;
  const text = str(value);
  spendOn(text.length * 5);
  return text.replace(/[&<>'"]/g, (mark) => ENTITIES[mark] ?? mark);
}
