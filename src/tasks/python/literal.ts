/**
 * Reads Python's literals of data like `ast.literal_eval` (3.11): strings, numbers, lists, tuples, sets, dicts, `None`, `True`, `False`. It
 * evaluates nothing, and does not read complex numbers, `\N{…}` escapes, strings with `f`, and collections as keys.
 */
import { SHORT_ESCAPES } from '@rl-playground/base/pythonText';
import { pythonFloat, pythonIntLiteral } from '@rl-playground/base/pythonNumbers';
import { Scanner } from './scanner.ts';
import { PythonError, type PythonValue, scalarKey } from './value.ts';

const START = /(r|u|b|br|rb)?("""|'''|["'])/iy;
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const OCTAL = /[0-7]{1,3}/y;

/** The text of the escape at `at` and the index behind it, or null if Python refuses it. */
function readEscape(text: string, at: number, bytes: boolean): [part: string, end: number] | null {
  const letter = text.charAt(at + 1);
  const short = SHORT_ESCAPES[letter];
  if (short !== undefined) return [short, at + 2];
  OCTAL.lastIndex = at + 1;
  const octal = OCTAL.exec(text)?.[0];
  if (octal !== undefined) {
    const code = Number.parseInt(octal, 8);
    return [String.fromCharCode(bytes ? code & 0xff : code), at + 1 + octal.length];
  }
  const digits = bytes && letter !== 'x' ? undefined : HEX_DIGITS[letter];
  if (digits === undefined) return letter === 'N' && !bytes ? null : ['\\', at + 1];
  const hex = text.slice(at + 2, at + 2 + digits);
  const code = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Infinity;
  return code > 0x10ffff ? null : [String.fromCodePoint(code), at + 2 + digits];
}

/** The string literal at `from` and the index behind it, or null if Python reads none. Bytes have one unit each. Linear in its length. */
function readStringLiteral(source: string, from: number) {
  START.lastIndex = from;
  const start = START.exec(source);
  if (start === null) return null;
  const [opening, prefix = '', quote = ''] = start;
  const [raw, bytes] = [/r/i.test(prefix), /b/i.test(prefix)];
  const parts: string[] = [];
  for (let at = from + opening.length, plain = at; ;) {
    const letter = source.charAt(at);
    if (letter === '' || (letter === '\n' && quote.length === 1) || (bytes && letter > '\x7f')) return null;
    if (source.startsWith(quote, at)) {
      parts.push(source.slice(plain, at));
      return { text: parts.join(''), bytes, end: at + quote.length };
    }
    if (letter !== '\\') at++;
    // A raw string keeps the backslash and what it protects.
    else if (raw) at += 2;
    else {
      const escape = readEscape(source, at, bytes);
      if (escape === null) return null;
      parts.push(source.slice(plain, at), escape[0]);
      at = plain = escape[1];
    }
  }
}

/** Python's tokenizer takes no more brackets inside each other. */
const MOST_NESTING = 200;

const NUMBER =
  /(?:0[xob][0-9a-f_]+|(?:[0-9][0-9_]*\.?(?:[0-9][0-9_]*)?|\.[0-9][0-9_]*)(?:e[+-]?[0-9][0-9_]*)?)/iy;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const STRING_START = /(?:r|u|b|br|rb)?["']/iy;
/** Blanks between brackets, where line ends and comments are blanks too. */
const BLANK = /(?:[ \t\f\n]+|\\\n|#[^\n]*)*/y;
const LINE_BLANK = /(?:[ \t\f]+|\\\n)*/y;
const BLANK_LINES = /(?:[ \t\f]*(?:#[^\n]*)?\n)*/y;
/** The one call that is a literal; `{}` is a dict. */
const EMPTY_SET = /set[ \t\f]*\([ \t\f\n]*\)/y;

const NAMES: ReadonlyMap<string, PythonValue> = new Map([
  ['None', null],
  ['True', true],
  ['False', false],
]);

type Pair = readonly [key: PythonValue, value: PythonValue];

class LiteralReader extends Scanner {
  read(): PythonValue {
    this.match(BLANK_LINES);
    if (/[ \t]/.test(this.peek())) this.#fail('a line without indentation');
    this.#blank(0);
    const first = this.#value(0);
    const value = this.peek() === ',' ? this.#tuple(first, 0) : first;
    // Behind a whole line only blank lines and comments may stand.
    this.#blank(0);
    if (!/^[ \t\f\n]*$/.test(this.text.slice(this.at).replace(/#[^\n]*/g, ''))) this.#fail('nothing more');
    return value;
  }

  #fail(needed: string): never {
    throw new PythonError(`Character ${this.at} of the literal is not ${needed}.`);
  }

  #blank(depth: number): void {
    if (/[ \t\f\n\\#]/.test(this.peek())) this.match(depth > 0 ? BLANK : LINE_BLANK);
  }

  /** Reads a value and the blanks behind it. */
  #value(depth: number): PythonValue {
    const value = this.#bareValue(depth);
    this.#blank(depth);
    return value;
  }

  #bareValue(depth: number): PythonValue {
    const open = this.peek();
    if (open === '[' || open === '(' || open === '{') return this.#collection(open, depth + 1);
    if (open === '-' || open === '+') return this.#signed(open, depth);
    if (/[0-9.]/.test(open)) return this.#number();
    const start = this.at;
    if (this.match(STRING_START) !== null) {
      this.at = start;
      return this.#strings(depth);
    }
    if (this.match(EMPTY_SET) !== null) return { kind: 'set', items: [] };
    const value = NAMES.get(this.match(NAME)?.[0] ?? '');
    return value === undefined ? this.#fail('the start of a value') : value;
  }

  #signed(sign: string, depth: number): PythonValue {
    this.at++;
    this.#blank(depth);
    const value = this.#number();
    return sign === '+' ? value : -value;
  }

  #number(): bigint | number {
    const text = this.match(NUMBER)?.[0] ?? this.#fail('the start of a number');
    if (/[^\s,)\]}:]/.test(this.peek()) && this.match(NAME) !== null) this.#fail('the end of a number');
    if (/^[1-9][0-9]{0,14}$/.test(text)) return BigInt(text);
    const whole = /^0[xob]/i.test(text) || !/[.e]/i.test(text);
    const value = whole ? pythonIntLiteral(text) : pythonFloat(text);
    return value === null ? this.#fail('a number as Python writes it') : value;
  }

  /** Strings side by side are one. */
  #strings(depth: number): PythonValue {
    let joined: { text: string; bytes: boolean } | null = null;
    const parts: string[] = [];
    for (;;) {
      const start = this.at;
      if (this.match(STRING_START) === null) break;
      const next = readStringLiteral(this.text, start);
      if (next === null) this.#fail('a whole string');
      if (joined !== null && joined.bytes !== next.bytes)
        this.#fail('of the same kind as the string before it');
      joined = next;
      parts.push(next.text);
      this.at = next.end;
      this.#blank(depth);
    }
    const text = parts.join('');
    if (joined?.bytes !== true) return text;
    return { kind: 'bytes', items: Array.from(text, (unit) => BigInt(unit.charCodeAt(0))) };
  }

  /** Reads the rest of a tuple, from the comma behind its first value. */
  #tuple(first: PythonValue, depth: number): PythonValue {
    const items = [first];
    while (this.take(',')) {
      this.#blank(depth);
      if (this.peek() === ')' || this.at === this.text.length || /[\n#]/.test(this.peek())) break;
      items.push(this.#value(depth));
    }
    return { kind: 'tuple', items };
  }

  #collection(open: string, depth: number): PythonValue {
    if (depth > MOST_NESTING) this.#fail('so deeply nested that Python reads it');
    this.at++;
    this.#blank(depth);
    if (open === '(') return this.#parenthesized(depth);
    const close = open === '[' ? ']' : '}';
    const items: PythonValue[] = [];
    const pairs: Pair[] = [];
    while (!this.take(close)) {
      const value = this.#value(depth);
      if (open === '{' && this.take(':')) {
        this.#blank(depth);
        pairs.push([value, this.#value(depth)]);
      } else items.push(value);
      if (this.take(',')) this.#blank(depth);
      else if (this.peek() !== close) this.#fail('a comma or a closing bracket');
    }
    if (open === '[') return { kind: 'list', items };
    if (items.length > 0 && pairs.length > 0) this.#fail('either a set or a dict');
    const entries = this.#distinct(items.length > 0 ? items.map((item): Pair => [item, item]) : pairs);
    return items.length > 0 ? { kind: 'set', items: entries.map(([key]) => key) } : { kind: 'dict', entries };
  }

  /** Reads the rest behind `(`. */
  #parenthesized(depth: number): PythonValue {
    if (this.take(')')) return { kind: 'tuple', items: [] };
    const first = this.#value(depth);
    const value = this.peek() === ',' ? this.#tuple(first, depth) : first;
    return this.take(')') ? value : this.#fail('a comma or a closing bracket');
  }

  #distinct(pairs: readonly Pair[]): Pair[] {
    const entries = new Map<string, Pair>();
    for (const [key, value] of pairs) {
      const name = scalarKey(key) ?? this.#fail('a key that is read here');
      entries.set(name, [entries.get(name)?.[0] ?? key, value]);
    }
    return [...entries.values()];
  }
}

/** The value; throws a PythonError where Python raises and for what is not read. Linear in the length of the text. */
export function readPythonLiteral(text: string): PythonValue {
  if (text.includes('\0')) throw new PythonError('A literal has no null characters.');
  return new LiteralReader(text.replace(/^[ \t]+/, '').replace(/\r\n?/g, '\n')).read();
}
