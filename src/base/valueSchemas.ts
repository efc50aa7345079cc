/** Schemas of single values from anywhere, whose errors say what was found and what is needed. */
import * as z from 'zod';
import { shownJson } from './json.ts';

const LONGEST_QUOTE = 60;

/** A value as it is quoted in a message: strings in quotes, everything else bare, cut where it is long. */
export function quoted(value: unknown): string {
  return typeof value === 'number' ? String(value) : shownJson(value, LONGEST_QUOTE);
}

interface Words {
  readonly kind: string;
  readonly small: string;
  readonly big: string;
}

function numberError({ kind, small, big }: Words, min: number, max: number) {
  return (issue: z.core.$ZodRawIssue): string => {
    if (issue.input === undefined) return `is missing; it needs ${kind} from ${min} to ${max}.`;
    const found = quoted(issue.input);
    if (issue.code === 'too_small') return `${found} is ${small}; choose ${min} to ${max}.`;
    if (issue.code === 'too_big') return `${found} is ${big}; choose ${min} to ${max}.`;
    return `${found} is not ${kind}; choose ${min} to ${max}.`;
  };
}

/** A whole number of things, both bounds inclusive. */
export function count(min: number, max: number): z.ZodInt {
  return whole(min, max, { small: 'too few', big: 'too many' });
}

/** A whole number that counts nothing, both bounds inclusive. */
export function integer(min: number, max: number): z.ZodInt {
  return whole(min, max, { small: 'too small', big: 'too large' });
}

function whole(min: number, max: number, words: Omit<Words, 'kind'>): z.ZodInt {
  const error = numberError({ kind: 'a whole number', ...words }, min, max);
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A finite number, both bounds inclusive. */
export function quantity(min: number, max: number): z.ZodNumber {
  const error = numberError({ kind: 'a number', small: 'too small', big: 'too large' }, min, max);
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/**
 * A schema of one of a few named values. `refused` maps values that a person might try to the reason why they are not
 * allowed.
 */
export function choice<const Values extends readonly string[]>(
  values: Values,
  refused: Readonly<Record<string, string>> = {},
) {
  const list = values.join(', ');
  return z.enum(values, {
    error: ({ input }) => {
      if (input === undefined) return `is missing; it needs one of: ${list}.`;
      if (typeof input === 'string' && Object.hasOwn(refused, input))
        return `${quoted(input)} is refused: ${refused[input]}. Choose one of: ${list}.`;
      return `${quoted(input)} does not exist; choose one of: ${list}.`;
    },
  });
}
