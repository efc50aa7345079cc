/** A config as the query of a link: only what differs from the defaults of its task and preset. */
import { plural } from '@rl-playground/base/text';
import { MIXTURE, taskNameError } from '@rl-playground/tasks/parts';
import { parseConfig, unknownKey, type ParsedConfig } from './check.ts';
import { textOfValue, valueFromText } from './describe.ts';
import { differingKeys } from './differences.ts';
import { quoted } from '@rl-playground/base/valueSchemas';
import { reconcile } from './reconcile.ts';
import {
  FIELD_KEYS,
  isFieldKey,
  RUN_FIELDS,
  runFieldsSchema,
  type FieldKey,
  type RunConfig,
} from './schema/schema.ts';
import { PRESET_NAMES } from './schema/model.ts';
import { defaultConfig } from './presets/presets.ts';
import { SETTINGS_VERSION, versionNote } from './settingsVersion.ts';

/** Keys of the page's address that are no settings and are left to their owners. */
export const FOREIGN_KEYS: ReadonlySet<string> = new Set([
  'backend',
  'limits',
  'gpuBytes',
  'deadline',
  'keep',
  'preflight',
  'lock',
  'hide',
  'lesson',
  'note',
  'place',
]);

/** Words of a link that are told one by one: one with more of them is no link of this page. */
const MOST_NAMED = 10;

/** A whole link to `config`, which says its version whatever it leaves out; without a leading "?". */
export function linkQuery(config: RunConfig): string {
  return (
    configToQuery(config) ||
    new URLSearchParams({ [VERSION_KEY]: String(SETTINGS_VERSION), task: config.task }).toString()
  );
}

/** Says of which version the defaults are that a link leaves out. */
const VERSION_KEY = 'v';

/**
 * The query of `config`, without a leading "?"; empty for the defaults, which are then those of whoever reads it, as for the page's plain
 * address.
 */
export function configToQuery(config: RunConfig): string {
  const differing = differingKeys(config);
  if (differing.length === 0) return '';
  const query = new URLSearchParams({ [VERSION_KEY]: String(SETTINGS_VERSION) });
  for (const key of differing) query.set(key, textOfValue(config[key]));
  return query.toString();
}

/** The note on the version of a link. A link without one was written by hand and means the defaults of today. */
function readVersion(text: string | null): { note?: string; error?: string } {
  if (text === null) return {};
  if (!/^\d{1,6}$/.test(text))
    return {
      error: `${VERSION_KEY}: ${quoted(text)} is no version of links; the link is read as of version ${SETTINGS_VERSION}.`,
    };
  const note = versionNote('The link', Number(text));
  return note === null ? {} : { note };
}

export interface QueryResult {
  /** Always a valid config. */
  readonly config: RunConfig;
  /** The refused parts of the query; each names its key. */
  readonly errors: readonly string[];
  /** The note for the reader of a link of another version. */
  readonly note?: string;
}

type Accepted = Partial<Record<FieldKey, unknown>>;

/** `base` with what a link says; where they contradict each other, what the link does not mention is made to go along. */
function withAccepted(base: RunConfig, accepted: Accepted): ParsedConfig {
  const whole = { ...base, ...accepted };
  const parsed = parseConfig(whole);
  const fields = runFieldsSchema.safeParse(whole);
  if (parsed.ok || !fields.success) return parsed;
  const given = new Map(FIELD_KEYS.filter((key) => key in accepted).map((key) => [key, key]));
  const along = parseConfig(reconcile(fields.data, given).config);
  return along.ok ? along : parsed;
}

/** The setting without which the fewest errors are left. `left` has the link's values without each setting, by its name. */
function fewestErrorsWithout(base: RunConfig, left: ReadonlyMap<string, Accepted>): string | undefined {
  const counts = [...left].map(([key, accepted]) => {
    const parsed = withAccepted(base, accepted);
    return { key, count: parsed.ok ? 0 : parsed.errors.length };
  });
  return counts.toSorted((a, b) => a.count - b.count)[0]?.key;
}

/** `base` with what a link says, less one setting after the other that an error names, or else without which the fewest are left. */
function withoutContradictions(base: RunConfig, asked: Accepted): QueryResult {
  const errors: string[] = [];
  for (let accepted = asked; ;) {
    const parsed = withAccepted(base, accepted);
    if (parsed.ok) return { config: parsed.config, errors };
    const without = (left: string): Accepted =>
      Object.fromEntries(Object.entries(accepted).filter(([key]) => key !== left));
    const left = new Map(Object.keys(accepted).map((key) => [key, without(key)]));
    const named = parsed.errors.flatMap((error) => {
      const key = error.slice(0, error.search(/[.:]/));
      return left.has(key) ? [{ key, error }] : [];
    });
    const { key, error } = named[0] ?? { key: fewestErrorsWithout(base, left), error: parsed.errors[0] };
    const rest = left.get(key ?? '');
    if (rest === undefined || error === undefined)
      return { config: base, errors: [...errors, ...parsed.errors] };
    errors.push(error);
    accepted = rest;
  }
}

/**
 * Reads a query, with or without its "?". Never throws: a key or value that is refused is named in `errors` and its
 * setting keeps the default; so is one that contradicts another, after settings that the link does not mention were made to go along.
 */
export function configFromQuery(query: string): QueryResult {
  const errors: string[] = [];
  const texts = new Map<FieldKey, string>();
  let unnamed = 0;
  let said: string | null = null;
  for (const [key, text] of new URLSearchParams(query)) {
    if (FOREIGN_KEYS.has(key)) continue;
    if (key === VERSION_KEY && said === null) {
      said = text;
      continue;
    }
    const known = isFieldKey(key);
    if (known && !texts.has(key)) texts.set(key, text);
    else if (errors.length >= MOST_NAMED) unnamed++;
    else if (known) errors.push(`${key}: given more than once; the first value is used.`);
    else errors.push(unknownKey(key, text));
  }
  if (unnamed > 0)
    errors.push(`${plural(unnamed, 'more word')} of the link: no settings, or given more than once.`);
  const asked = texts.get('task') ?? RUN_FIELDS.task.info.default;
  const wrongTask = asked === MIXTURE ? null : taskNameError(asked);
  if (wrongTask !== null) errors.push(`task: ${wrongTask}`);
  const task = wrongTask === null ? asked : RUN_FIELDS.task.info.default;
  const preset = PRESET_NAMES.find((name) => name === texts.get('preset')) ?? RUN_FIELDS.preset.info.default;
  const { error: wrongVersion, ...note } = readVersion(said);
  if (wrongVersion !== undefined) errors.push(wrongVersion);
  const base = defaultConfig(task, preset);

  let accepted: Accepted = {};
  for (const [key, text] of texts) {
    if (key === 'task') continue;
    const value = valueFromText(key, text);
    const schema = RUN_FIELDS[key].schema.safeParse(value);
    if (schema.success) accepted = { ...accepted, [key]: schema.data };
    else errors.push(`${key}: ${schema.error.issues[0]?.message ?? 'is refused.'}`);
  }
  const settled = withoutContradictions(base, accepted);
  return { config: settled.config, errors: [...errors, ...settled.errors], ...note };
}
