/** The result of reading settings from outside, and the way there: from settings by name to a valid whole config. */
import { shownJson } from '@rl-playground/base/json';
import { parseConfig } from '../check.ts';
import { shownName, type NamedValues } from '../names.ts';
import { reconcile } from '../reconcile.ts';
import type { AskedTracker } from '../trackers.ts';
import { isFieldKey, runFieldsSchema, type FieldKey, type RunConfig } from '../schema/schema.ts';

/** A key that means nothing here. */
export interface Ignored {
  readonly path: string;
  readonly value: unknown;
  readonly reason: string;
}

export interface SettingsRead {
  readonly ok: true;
  /** Valid and whole. */
  readonly config: RunConfig;
  /** Settings that something else replaces, one sentence each. */
  readonly replaced: readonly string[];
  readonly ignored: readonly Ignored[];
  /** The settings that were stated; all others are those of the task and preset. */
  readonly given: ReadonlySet<FieldKey>;
  /** Trackers that it asks for. */
  readonly tracking?: readonly AskedTracker[];
}

export interface SettingsRefused {
  readonly ok: false;
  /** Each names the line where it is known, the path, the value found and the rule. */
  readonly errors: readonly string[];
}

export type SettingsResult = SettingsRead | SettingsRefused;

/** The notes for a reader, one line each. */
export function notesOf({ replaced, ignored }: Pick<SettingsRead, 'replaced' | 'ignored'>): string[] {
  return [
    ...replaced.map((sentence) => `Replaced. ${sentence}`),
    ...ignored.map(({ path, value, reason }) => `Ignored ${path} (${shownJson(value, 60)}): ${reason}.`),
  ];
}

export type Settled =
  | { readonly ok: true; readonly config: RunConfig; readonly notes: readonly string[] }
  | { readonly ok: false; readonly errors: readonly string[] };

/** An error of `parseConfig` under the name that was written. `lineOf` gives the line of that name. */
export function errorAsWritten(
  error: string,
  names: ReadonlyMap<FieldKey, string>,
  lineOf: (path: string) => number | null = () => null,
): string {
  const [, key = '', rest = ''] = /^(\w+)([^]*)$/.exec(error) ?? [];
  if (!isFieldKey(key)) return error;
  const given = names.get(key);
  const inside = /^(?:\.\w+)*/.exec(rest)?.[0] ?? '';
  const message = rest.slice(inside.length);
  const line = given === undefined ? null : (lineOf(given + inside) ?? lineOf(given));
  const place = line === null ? '' : `line ${line}: `;
  // `task_config.max_terms` already names what is inside.
  if (given === undefined || given === key || given.endsWith(inside))
    return `${place}${shownName(key, given)}${given === key || given === undefined ? inside : ''}${message}`;
  return `${place}${given}${inside} (${key}${inside})${message}`;
}

/** `base` with the values on top, what was not mentioned made to go along, and everything checked. */
export function settle(
  base: RunConfig,
  { values, names, errors }: Pick<NamedValues, 'values' | 'names' | 'errors'>,
  lineOf?: (path: string) => number | null,
): Settled {
  const asked: unknown = { ...base, ...values };
  const fields = runFieldsSchema.safeParse(asked);
  const { config, notes } = fields.success ? reconcile(fields.data, names) : { config: asked, notes: [] };
  const parsed = parseConfig(config);
  const all = [
    ...errors,
    ...(parsed.ok ? [] : parsed.errors.map((error) => errorAsWritten(error, names, lineOf))),
  ];
  return parsed.ok && all.length === 0
    ? { ok: true, config: parsed.config, notes }
    : { ok: false, errors: all };
}
