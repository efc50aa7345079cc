/** The settings as data, for forms and command lines, and the text form of their values. */
import * as z from 'zod';
import type { Group } from './schema/fields.ts';
import { FIELD_KEYS, RUN_FIELDS, type FieldKey, type RunConfig } from './schema/schema.ts';

interface DescribedField {
  readonly key: FieldKey;
  readonly label: string;
  readonly help: string;
  readonly group: Group;
}

export interface NumberField extends DescribedField {
  readonly type: 'number';
  readonly default: number;
  /** Both inclusive. */
  readonly min: number;
  readonly max: number;
  /** 1 for whole numbers, null where any number between the bounds will do. */
  readonly step: 1 | null;
}

export interface ChoiceField extends DescribedField {
  readonly type: 'choice';
  readonly default: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

export interface BooleanField extends DescribedField {
  readonly type: 'boolean';
  readonly default: boolean;
}

export interface TextField extends DescribedField {
  readonly type: 'text';
  readonly default: string;
  readonly maxLength: number;
}

/** A structure; its text form is JSON. */
export interface StructureField extends DescribedField {
  readonly type: 'structure';
  readonly default: object;
}

export type FieldDescription = NumberField | ChoiceField | BooleanField | TextField | StructureField;

function describe(key: FieldKey): FieldDescription {
  const { schema, info } = RUN_FIELDS[key];
  const { label, help, group } = info;
  const common = { key, label, help, group };
  const start: string | number | boolean | object = info.default;
  if (typeof start === 'object') return { ...common, type: 'structure', default: start };
  if (typeof start === 'boolean') return { ...common, type: 'boolean', default: start };
  if (typeof start === 'number') {
    if (!(schema instanceof z.ZodNumber))
      throw new Error(`${key}: its default is a number, its schema is not.`);
    const { minValue, maxValue } = schema;
    if (minValue === null || maxValue === null) throw new Error(`${key}: a number field needs both bounds.`);
    return {
      ...common,
      type: 'number',
      default: start,
      min: minValue,
      max: maxValue,
      step: schema.isInt ? 1 : null,
    };
  }
  if ('choices' in info) {
    const choices = Object.entries(info.choices).map(([value, words]) => ({ value, label: words }));
    return { ...common, type: 'choice', default: start, choices };
  }
  if (!(schema instanceof z.ZodString)) throw new Error(`${key}: its default is text, its schema is not.`);
  return { ...common, type: 'text', default: start, maxLength: schema.maxLength ?? Infinity };
}

/** Every setting, in the order in which the page shows them. */
export const FIELDS: readonly FieldDescription[] = FIELD_KEYS.map(describe);

export const NUMBER_TEXT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function structureFromText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text form of a setting's value, which `valueFromText` reads. */
export function textOfValue(value: RunConfig[FieldKey]): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Reads the text form of a setting, as in a link or on a command line. Text that is no value of the setting's type
 * comes back as text, for `parseConfig` to refuse by name.
 */
export function valueFromText(key: FieldKey, text: string): unknown {
  const { type } = describe(key);
  if (type === 'structure') return structureFromText(text);
  if (type === 'number' && NUMBER_TEXT.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
