/** Building blocks of the settings schema: a field is a zod schema together with everything a person reads about it. */
import * as z from 'zod';
import { quoted } from '@rl-playground/base/valueSchemas';

export const GROUPS = [
  'Task',
  'Reward model',
  'Curriculum',
  'Model',
  'Warm-up',
  'Loss',
  'Advantage',
  'KL',
  'Updates',
  'Schedule',
  'Sampling',
  'Optimizer',
  'LoRA',
  'Evaluation',
  'Run',
] as const;
export type Group = (typeof GROUPS)[number];

interface FieldText<Value> {
  readonly label: string;
  /** One or two sentences for a person who does not know the term. */
  readonly help: string;
  readonly default: Value;
}

/** A choice also needs words for each of its values. */
type FieldWords<Value> = FieldText<Value> &
  (string extends Value
    ? unknown
    : [Value] extends [string]
      ? { readonly choices: Readonly<Record<Value, string>> }
      : unknown);

export interface Field<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly info: FieldWords<z.output<Schema>> & { readonly group: Group };
}

/** Defines settings of a group. One without its label, help or default (or a choice's words) does not compile. */
export const fieldOf =
  (group: Group) =>
  <Schema extends z.ZodType>(schema: Schema, words: FieldWords<z.output<Schema>>): Field<Schema> => ({
    schema,
    info: { ...words, group },
  });

/** Words that YAML 1.1, which other systems read and write, takes for flags. */
const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
};

/** A flag as it may be written: true or false, or one of YAML 1.1's words for them. Anything else comes back as it is. */
export function flagOfWord(value: unknown): unknown {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return Object.hasOwn(FLAG_WORDS, word) ? FLAG_WORDS[word] : value;
}

export function flag(): z.ZodBoolean {
  return z.boolean({
    error: (issue) =>
      issue.input === undefined
        ? 'is missing; it needs true or false.'
        : `${quoted(issue.input)} is not a yes or no; choose true or false.`,
  });
}

/** A non-empty line of text. */
export function line(maxLength: number): z.ZodString {
  const error = (issue: z.core.$ZodRawIssue): string => {
    const needed = `1 to ${maxLength} characters`;
    if (issue.input === undefined) return `is missing; it needs ${needed}.`;
    const found = typeof issue.input === 'string' ? `${issue.input.length} characters` : quoted(issue.input);
    return `found ${found}; it needs ${needed}.`;
  };
  return z.string({ error }).min(1, { error }).max(maxLength, { error });
}

/** A line of text that may be empty. */
export function optionalLine(maxLength: number): z.ZodString {
  const error = ({ input }: z.core.$ZodRawIssue): string =>
    typeof input === 'string'
      ? `found ${input.length} characters; at most ${maxLength} are allowed.`
      : `${quoted(input)} is no text; write one of at most ${maxLength} characters.`;
  return z.string({ error }).max(maxLength, { error });
}

/** Compares two values of a setting; structures are compared by what they hold. */
export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
