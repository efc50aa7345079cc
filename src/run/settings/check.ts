/** The check of a whole config: each field, then the rules between fields, with messages for a person. */
import type * as z from 'zod';
import { grouped } from '@rl-playground/base/text';
import { quoted } from '@rl-playground/base/valueSchemas';
import { ADVANTAGE_RULES, KL_RULES, LOSS_RULES } from './rules/loss.ts';
import { TASK_RULES } from './rules/task.ts';
import { SCHEDULE_RULES, UPDATES_RULES } from './rules/updates.ts';
import type { Rule } from './rules/rule.ts';
import { FIELD_KEYS, runFieldsSchema, type RunConfig } from './schema/schema.ts';
import { closestName } from './suggest.ts';

const RULES: readonly Rule[] = [
  ...TASK_RULES,
  ...LOSS_RULES,
  ...ADVANTAGE_RULES,
  ...KL_RULES,
  ...UPDATES_RULES,
  ...SCHEDULE_RULES,
];

/** Checks each field alone, then the rules between fields. Unknown keys are errors. */
export const runConfigSchema = runFieldsSchema.check((context) => {
  for (const rule of RULES) {
    const broken = rule.broken(context.value);
    if (broken === null) continue;
    const { path, message } = typeof broken === 'string' ? { path: [], message: broken } : broken;
    context.issues.push({
      code: 'custom',
      path: [rule.field, ...path],
      message,
      input: context.value[rule.field],
    });
  }
});

export type ParsedConfig =
  | { readonly ok: true; readonly config: RunConfig }
  | { readonly ok: false; readonly errors: readonly string[] };

const LONGEST_KEY = 60;
/** Names that an error lists; more would hide what it says. */
const MOST_LISTED = 20;

/** Errors that are told one by one. */
const MOST_ERRORS = 50;

/** The answer to a key that names no setting. `names` are the settings, and each of `others` means the same as one of them. */
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
      ? `leave it out, or take one of the ${names.length} settings that docs/settings.md lists.`
      : `the settings are ${names.join(', ')}.`;
  return `${shown}: there is no such setting for the value ${quoted(value)}; ${
    meant === null ? choice : `did you mean ${meant}?`
  }`;
}

/** The value at a path of a value from anywhere. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inside, key) => Object.entries(inside ?? {}).find(([name]) => name === String(key))?.[1],
    value,
  );
}

function messagesOf(issue: z.core.$ZodIssue, config: unknown): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MOST_ERRORS).map((key) => {
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
  const { issues } = result.error;
  const errors = [...new Set(issues.slice(0, MOST_ERRORS).flatMap((issue) => messagesOf(issue, value)))];
  const count = issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1),
    0,
  );
  if (count > errors.length && errors.length >= MOST_ERRORS)
    errors.splice(MOST_ERRORS, Infinity, `${grouped(count - MOST_ERRORS)} more settings are wrong.`);
  return { ok: false, errors };
}
