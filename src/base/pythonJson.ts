/** JSON by Python's rules, as chat templates and the graders of other projects have it. */
import { parsedJson, withNumbers } from './json.ts';
import { MOST_DIGITS } from './pythonNumbers.ts';

/** The nesting at which the interpreter's default limit on recursion stops. */
const MOST_NESTING = 990;

type Scalar = null | boolean | string | bigint | number;

interface Collections<T> {
  readonly list: (items: (T | Scalar)[]) => T;
  readonly dict: (entries: (readonly [key: string, value: T | Scalar])[]) => T;
}

function numberOfJson(text: string): bigint | number {
  if (!/^-?\d+$/.test(text)) return Number(text);
  if (text.replace('-', '').length > MOST_DIGITS) throw new SyntaxError('a number has too many digits');
  return BigInt(text);
}

/**
 * Reads a text of JSON as Python's `json.loads` (3.11) does: `NaN` and `Infinity` are numbers, whole numbers are bigints with every digit,
 * and an object's keys keep their order. `collections` makes its lists and dicts. The time is linear in the length of the text.
 *
 * @throws SyntaxError where Python raises.
 */
export function readPythonJson<T>(text: string, collections: Collections<T>): T | Scalar {
  const plain = parsedJson(withNumbers(text, (token) => (/\d/.test(token) ? token : 'null')));
  if ('error' in plain) throw new SyntaxError(plain.error);
  // JavaScript's own reader would round whole numbers, take 1.0 for 1, and put keys that look like numbers first.
  const marked: unknown = JSON.parse(withNumbers(text, (token) => `"n${token}"`, 's'));
  const read = (value: unknown, depth: number): T | Scalar => {
    if (depth > MOST_NESTING) throw new SyntaxError('it is nested too deeply');
    if (typeof value === 'string')
      return value.startsWith('s') ? value.slice(1) : numberOfJson(value.slice(1));
    if (value === null || typeof value === 'boolean') return value;
    if (Array.isArray(value)) return collections.list(value.map((item) => read(item, depth + 1)));
    const entries = Object.entries(value as object);
    return collections.dict(entries.map(([key, of]) => [key.slice(1), read(of, depth + 1)]));
  };
  return read(marked, 0);
}
