/** JSON as Python's `json.loads` (3.11) reads it: `NaN` and `Infinity` are numbers, whole numbers keep every digit. */
import { readPythonLiteral } from './literal.ts';
import { Scanner } from './scanner.ts';
import { PythonError, type PythonDict, type PythonValue } from './value.ts';

/** The nesting at which the interpreter's default limit on recursion stops. */
const MOST_NESTING = 990;
/** `int()` refuses more digits. */
const MOST_DIGITS = 4300;

const WORDS: readonly (readonly [word: string, value: PythonValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
/** A string without control characters. It takes one character at a time, so that a missing quote is found in linear time. */
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;

class JsonReader extends Scanner {
  read(): PythonValue {
    const value = this.#value(0);
    if (this.at < this.text.length) this.#fail('nothing more');
    return value;
  }

  #fail(needed: string): never {
    throw new PythonError(`Character ${this.at} of the JSON is not ${needed}.`);
  }

  #blank(): void {
    while (/[ \t\n\r]/.test(this.peek())) this.at++;
  }

  #value(depth: number): PythonValue {
    if (depth > MOST_NESTING) this.#fail('so deeply nested that Python reads it');
    this.#blank();
    const value = this.#bareValue(depth);
    this.#blank();
    return value;
  }

  #bareValue(depth: number): PythonValue {
    if (this.peek() === '"') return this.#string();
    if (this.take('[')) return { kind: 'list', items: this.#list(depth) };
    if (this.take('{')) return this.#dict(depth);
    if (/[a-zA-Z-]/.test(this.peek())) for (const [word, value] of WORDS) if (this.take(word)) return value;
    const match = this.match(NUMBER);
    if (match === null) this.#fail('the start of a value');
    const [digits, fraction, exponent] = match;
    if (fraction !== undefined || exponent !== undefined) return Number(digits);
    if (digits.replace('-', '').length > MOST_DIGITS) this.#fail('so short a number that Python reads it');
    return BigInt(digits);
  }

  #string(): string {
    const match = this.match(STRING) ?? this.#fail('a whole string in double quotes');
    return String(JSON.parse(match[0]));
  }

  #list(depth: number): PythonValue[] {
    this.#blank();
    const items: PythonValue[] = [];
    if (this.take(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.take(','));
    if (!this.take(']')) this.#fail('a comma or the end of a list');
    return items;
  }

  #dict(depth: number): PythonDict {
    this.#blank();
    const entries = new Map<string, PythonValue>();
    const made = (): PythonDict => ({ kind: 'dict', entries: [...entries] });
    if (this.take('}')) return made();
    do {
      this.#blank();
      const key = this.#string();
      this.#blank();
      if (!this.take(':')) this.#fail('a colon');
      entries.set(key, this.#value(depth + 1));
    } while (this.take(','));
    if (!this.take('}')) this.#fail('a comma or the end of an object');
    return made();
  }
}

/** The value; throws a PythonError where Python raises. Linear in the length of the text. */
export function readPythonJson(text: string): PythonValue {
  return new JsonReader(text).read();
}

/** The items of a list in Python's or JSON's form, or null. It never throws. */
export function readPythonList(text: string): readonly PythonValue[] | null {
  for (const read of [readPythonLiteral, readPythonJson]) {
    try {
      const value = read(text);
      if (value !== null && typeof value === 'object' && value.kind === 'list') return value.items;
    } catch {
      // The other reader may take it.
    }
  }
  return null;
}
