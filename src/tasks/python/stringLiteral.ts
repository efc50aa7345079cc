/** One string literal of Python: prefix, quotes, escapes. */

export interface StringLiteral {
  /** Of a bytes literal, one unit for each byte. */
  readonly text: string;
  readonly bytes: boolean;
  /** Index behind the closing quotes. */
  readonly end: number;
}

const START = /(r|u|b|br|rb)?("""|'''|["'])/iy;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const OCTAL = /[0-7]{1,3}/y;

/** What the escape behind the backslash at `at` stands for and the index behind it; null where Python refuses it. */
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

/** The string literal that starts at `from`, or null where none does or Python refuses it. Linear in its length. */
export function readStringLiteral(source: string, from: number): StringLiteral | null {
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
