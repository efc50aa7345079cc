/** The character classes of Python's `re` on `str`, which differ from JavaScript's. */

/** Code points of every decimal digit zero of Unicode 17; the digits 1 to 9 follow each. */
const DIGIT_ZEROS = [
  0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
  0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
  0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x10d40, 0x11066,
  0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x116d0, 0x116da, 0x11730, 0x118e0,
  0x11950, 0x11bf0, 0x11c50, 0x11d50, 0x11da0, 0x11de0, 0x11f50, 0x16130, 0x16a60, 0x16ac0, 0x16b50, 0x16d70,
  0x1ccf0, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e5f1, 0x1e950, 0x1fbf0,
] as const;

/** Value of each of Python's `\d` characters (every Unicode decimal digit, as `int()` reads it) by code point. */
const DIGIT_VALUES: ReadonlyMap<number, number> = new Map(
  DIGIT_ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, value): [number, number] => [zero + value, value]),
  ),
);

/** Python's `\s`: the ASCII separators and U+0085 belong to it, the byte order mark does not. */
const SPACES: ReadonlySet<string> = new Set(
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680' +
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

/** ASCII first: looking a character up takes several times as long, and texts may have a million. */
function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return code === 0x20 || (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x1f);
  return SPACES.has(text.charAt(at));
}

/** The index of the first character at or after `from` that Python does not call whitespace. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text, at)) at++;
  return at;
}

export interface ParsedInteger {
  /** Canonical decimal: ASCII digits, no leading zeros, no "-0". Never rounded. */
  readonly value: string;
  /** Index of the first character after the number. */
  readonly end: number;
}

/** Units of text that the decimal digit at `at` takes: 1 or 2; 0 where there is none. */
function digitLength(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return unit >= 0x30 && unit <= 0x39 ? 1 : 0;
  const code = text.codePointAt(at);
  return code === undefined || !DIGIT_VALUES.has(code) ? 0 : code > 0xffff ? 2 : 1;
}

/** The index behind what `-?\d+` matches at `from`; `from` itself where it matches nothing. Linear. */
export function integerEnd(text: string, from: number): number {
  const first = text.charAt(from) === '-' ? from + 1 : from;
  let end = first;
  for (let length = digitLength(text, end); length > 0; length = digitLength(text, end)) end += length;
  return end === first ? from : end;
}

/** Reads what `-?\d+` matches at `from`, or returns null. Linear in the number's length, whatever that is. */
export function readInteger(text: string, from: number): ParsedInteger | null {
  const end = integerEnd(text, from);
  if (end === from) return null;
  const negative = text.charAt(from) === '-';
  const magnitude = asciiDigits(text.slice(negative ? from + 1 : from, end)).replace(/^0+(?=.)/, '');
  return { value: negative && magnitude !== '0' ? `-${magnitude}` : magnitude, end };
}

/** The last match of `-?\d+` from left to right, canonical, or null. Linear. */
export function lastInteger(text: string): string | null {
  let end = text.length;
  while (end > 0 && digitLength(text, end - 1) !== 1 && !(end > 1 && digitLength(text, end - 2) === 2)) end--;
  let start = end;
  for (;;) {
    if (start > 0 && digitLength(text, start - 1) === 1) start--;
    else if (start > 1 && digitLength(text, start - 2) === 2) start -= 2;
    else break;
  }
  if (start === end) return null;
  return readInteger(text, start > 0 && text.charAt(start - 1) === '-' ? start - 1 : start)?.value ?? null;
}

/** Python's `text.count(part)`. */
export const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** Python's `str.strip()`. */
export function stripSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text, end - 1)) end--;
  const start = skipSpace(text, 0);
  return start >= end ? '' : text.slice(start, end);
}

/** Python's `str.split()`: the pieces between runs of whitespace, none of them empty. */
export function splitSpace(text: string): string[] {
  const pieces: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const start = at;
    while (at < text.length && !isSpace(text, at)) at++;
    pieces.push(text.slice(start, at));
  }
  return pieces;
}

/** The text with every decimal digit of Unicode as the ASCII one that Python's number parsers read it as. */
export function asciiDigits(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    const value = DIGIT_VALUES.get(character.codePointAt(0) ?? 0);
    return value === undefined ? character : `${value}`;
  });
}
