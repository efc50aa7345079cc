/** Characters and the order of texts by Python's rules. */

/** The characters of Python's `str.isspace`. JavaScript's `trim` lacks U+001C to U+001F and U+0085, and removes U+FEFF. */
export const WHITE_SPACE =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** The characters at which Python's `str.splitlines` ends a line. */
export const LINE_ENDS = '\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029';

/** The characters that a backslash and one other stand for in a literal. */
export const SHORT_ESCAPES: Readonly<Record<string, string>> = {
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

/** `<` of two strings, −1, 0 or 1: by code points, where JavaScript goes by UTF-16 units. */
export function compareStrings(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === a.length || at === b.length) return Math.sign(a.length - b.length);
  const inPair = at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1));
  const from = inPair && /[\udc00-\udfff]/.test(a.charAt(at) + b.charAt(at)) ? at - 1 : at;
  return Math.sign((a.codePointAt(from) ?? 0) - (b.codePointAt(from) ?? 0));
}

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
export const DIGIT_VALUES: ReadonlyMap<number, number> = new Map(
  DIGIT_ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, value): [number, number] => [zero + value, value]),
  ),
);

/** The text with every decimal digit of Unicode as the ASCII one that Python's number parsers read it as. */
export function asciiDigits(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    const value = DIGIT_VALUES.get(character.codePointAt(0) ?? 0);
    return value === undefined ? character : `${value}`;
  });
}
