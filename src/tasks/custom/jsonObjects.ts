/** Rows out of one JSON object that holds them all: a list under a name, or a list of values for each column. */
import { isJsonObject } from '@rl-playground/base/json';
import { plural } from '@rl-playground/base/text';
import { namesBoth } from './usualNames.ts';

/** The usual names of the list that holds the rows, where an object has several lists. */
const USUAL = ['data', 'rows', 'examples', 'records', 'items', 'questions', 'instances'];

type Objects = readonly Readonly<Record<string, unknown>>[];

function isMessage(value: unknown): boolean {
  return isJsonObject(value) && ('role' in value || 'from' in value);
}

/** True for a list of objects that are no messages. */
function isRows(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some(isJsonObject) && !value.some(isMessage);
}

/** Rows of columns, each of which has its values in the same order. @throws Error where they are not equally many. */
function fromColumns(columns: readonly (readonly [string, readonly unknown[]])[]): Objects {
  const [[first, values] = ['', []]] = columns;
  const other = columns.find((column) => column[1].length !== values.length);
  if (other !== undefined)
    throw new Error(
      `The column "${first}" has ${plural(values.length, 'value')}, and "${other[0]}" has ${other[1].length}. Each column needs a value for each row.`,
    );
  return values.map((_, row) => Object.fromEntries(columns.map(([name, each]) => [name, each[row]])));
}

/** The list of rows under a name. @throws Error where two may be meant. */
function listOf(object: Readonly<Record<string, unknown>>): readonly unknown[] | null {
  const names = Object.keys(object).filter((name) => isRows(object[name]));
  const name = USUAL.find((each) => names.includes(each)) ?? names[0];
  if (name === undefined) return null;
  if (names.length > 1 && !USUAL.includes(name))
    throw new Error(
      `The JSON object holds ${names.length} lists of rows (${names.slice(0, 12).join(', ')}). Put each into a file of its own.`,
    );
  return object[name] as readonly unknown[];
}

/** The rows of pandas' `orient="split"`: names of columns, and a list of values for each row. */
function splitOf({ columns, data }: Readonly<Record<string, unknown>>): Objects | null {
  if (!Array.isArray(columns) || !Array.isArray(data) || !data.every(Array.isArray)) return null;
  return data.map((values: readonly unknown[]) =>
    Object.fromEntries(columns.map((name, column) => [String(name), values[column]])),
  );
}

/** The values of an object whose names are whole numbers, as pandas writes a column; null for any other. */
function numbered(value: unknown): readonly unknown[] | null {
  if (!isJsonObject(value)) return null;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => /^\d+$/.test(name)) ? Object.values(value) : null;
}

/**
 * The rows in an object; null for an object that is a row itself. The rows may be a list under a name (`{"data": […]}`), or the object
 * may have a list for each column (`{"question": […], "answer": […]}`), or one of the forms of pandas' `to_json`.
 *
 * @throws Error where the lists do not fit together.
 */
export function objectsOf(object: Readonly<Record<string, unknown>>): readonly unknown[] | null {
  const entries = Object.entries(object);
  if (namesBoth(Object.keys(object)) && entries.some(([, value]) => typeof value === 'string')) return null;
  const split = splitOf(object);
  if (split !== null) return split;
  const list = listOf(object);
  if (list !== null)
    // The Hub's server of rows puts each into an object of its own.
    return list.map((entry) => (isJsonObject(entry) && isJsonObject(entry['row']) ? entry['row'] : entry));
  const rows = numbered(object);
  if (rows?.every(isJsonObject) === true) return rows;
  const columns = entries.map(([name, value]) => {
    const values = Array.isArray(value) && !value.some(isMessage) ? value : numbered(value);
    return [name, values] as const;
  });
  const whole = columns.filter((column): column is [string, readonly unknown[]] => column[1] !== null);
  return whole.length < columns.length || whole.length < 2 ? null : fromColumns(whole);
}
