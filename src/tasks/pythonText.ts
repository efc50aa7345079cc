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

/** The value of a Unicode decimal digit by its code point; null for any other character. */
export function digitValue(code: number): number | null {
  return DIGIT_VALUES.get(code) ?? null;
}

/** Python's `\s`: the ASCII separators and U+0085 belong to it, the byte order mark does not. */
const SPACES: ReadonlySet<string> = new Set(
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680' +
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

/** The index of the first character at or after `from` that Python does not call whitespace. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && SPACES.has(text.charAt(at))) at++;
  return at;
}

export interface ParsedInteger {
  /** Canonical decimal: ASCII digits, no leading zeros, no "-0". Never rounded. */
  readonly value: string;
  /** Index of the first character after the number. */
  readonly end: number;
}

/** Reads what `-?\d+` matches at `from`, or returns null. Linear in the number's length, whatever that is. */
export function readInteger(text: string, from: number): ParsedInteger | null {
  const negative = text.charAt(from) === '-';
  const first = negative ? from + 1 : from;
  let digits = '';
  let end = first;
  for (;;) {
    const code = text.codePointAt(end);
    const digit = code === undefined ? undefined : DIGIT_VALUES.get(code);
    if (code === undefined || digit === undefined) break;
    digits += digit;
    end += code > 0xffff ? 2 : 1;
  }
  if (end === first) return null;
  const magnitude = digits.replace(/^0+(?=.)/, '');
  return { value: negative && magnitude !== '0' ? `-${magnitude}` : magnitude, end };
}

/** Python's `str.strip()`. */
export function stripSpace(text: string): string {
  let end = text.length;
  while (end > 0 && SPACES.has(text.charAt(end - 1))) end--;
  const start = skipSpace(text, 0);
  return start >= end ? '' : text.slice(start, end);
}

/** Python's `str.split()`: the pieces between runs of whitespace, none of them empty. */
export function splitSpace(text: string): string[] {
  const pieces: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const start = at;
    while (at < text.length && !SPACES.has(text.charAt(at))) at++;
    pieces.push(text.slice(start, at));
  }
  return pieces;
}

/** The text with every decimal digit of Unicode as the ASCII one that Python's number parsers read it as. */
export function asciiDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    const value = DIGIT_VALUES.get(character.codePointAt(0) ?? 0);
    return value === undefined ? character : `${value}`;
  });
}
