/** The settings as data (for forms and command lines), and the check of a whole config with messages for a person. */
import * as z from 'zod';
import { quoted, type Group } from './fields.ts';
import { FIELD_KEYS, RUN_FIELDS } from './runFields.ts';
import type { FieldKey, RunConfig } from './runFields.ts';
import { runConfigSchema } from './schema.ts';
import { closestName } from './suggest.ts';

interface DescribedField {
  readonly key: FieldKey;
  readonly label: string;
  readonly help: string;
  readonly group: Group;
  readonly advanced: boolean;
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
  const { label, help, group, advanced } = info;
  const common = { key, label, help, group, advanced };
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

export function isFieldKey(key: string): key is FieldKey {
  return Object.hasOwn(RUN_FIELDS, key);
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: RunConfig }
  | { readonly ok: false; readonly errors: readonly string[] };

const LONGEST_KEY = 60;
/** Names that an error lists; more would hide what it says. */
const MOST_LISTED = 20;

/** What to say about a key that names no setting. `names`: those there are, and `others` that mean the same as one of them. */
export function unknownKey(
  key: string,
  value: unknown,
  names: readonly string[] = FIELD_KEYS,
  others: readonly string[] = [],
): string {
  const shown = key === '' ? '""' : key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key;
  const meant = closestName(key, [...names, ...others]);
  const choice =
    names.length > MOST_LISTED
      ? `leave it out, or take one of the ${names.length} settings that docs/config.md lists.`
      : `the settings are ${names.join(', ')}.`;
  return `${shown}: there is no such setting for the value ${quoted(value)}; ${
    meant === null ? choice : `did you mean ${meant}?`
  }`;
}

/** What stands at a path of a value from anywhere. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inside, key) => Object.entries(inside ?? {}).find(([name]) => name === String(key))?.[1],
    value,
  );
}

function messagesOf(issue: z.core.$ZodIssue, config: unknown): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      const value = valueAt(config, path);
      return issue.path.length === 0
        ? unknownKey(key, value)
        : `${path.join('.')}: ${quoted(value)} has no meaning there; leave that name out.`;
    });
  if (issue.path.length === 0) return ['The settings must be one object with a value for each setting.'];
  return [`${issue.path.join('.')}: ${issue.message}`];
}

/**
 * Checks a whole config from anywhere. Never throws. Each error starts with the setting's key and says what was found
 * and what is needed, as in "numGenerators: 1000000 is too many; choose 1 to 64."
 */
export function parseConfig(value: unknown): ParsedConfig {
  const result = runConfigSchema.safeParse(value);
  if (result.success) return { ok: true, config: result.data };
  return {
    ok: false,
    errors: [...new Set(result.error.issues.flatMap((issue) => messagesOf(issue, value)))],
  };
}

const NUMBER_TEXT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

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
