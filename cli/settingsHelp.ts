/** The settings as `--help` lists them. */
import { FIELDS, textOfValue, type FieldDescription } from '../src/config/describe.ts';
import { otherNames, snakeName } from '../src/config/names.ts';
import { RUN_FIELDS } from '../src/config/schema.ts';

/** What a setting may be. */
function valuesOf(field: FieldDescription): string {
  switch (field.type) {
    case 'number':
      return `${field.step === 1 ? 'whole, ' : ''}${field.min} to ${field.max}`;
    case 'choice':
      return field.choices.map(({ value }) => value).join(', ');
    case 'boolean':
      return 'true, false';
    case 'text':
      return 'text';
    case 'structure':
      return `as in ${textOfValue(RUN_FIELDS[field.key].info.default)}`;
  }
}

/** One line each: names, what it is, what it may be. */
export function settingsHelp(): string {
  return FIELDS.map((field) => {
    const names = [field.key, ...otherNames(field.key)].filter((name) => name !== snakeName(field.key));
    const others = names.length === 0 ? '' : ` (${names.join(', ')})`;
    return `  ${snakeName(field.key)}${others}: ${field.label} [${valuesOf(field)}]`;
  }).join('\n');
}
