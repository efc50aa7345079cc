/** The character classes of Python's `re` on `str`, which differ from JavaScript's. */
import { asciiDigits, DIGIT_VALUES, WHITE_SPACE } from '@rl-playground/base/pythonText';

/** Python's `\s`: the ASCII separators and U+0085 belong to it, the byte order mark does not. */
const SPACES: ReadonlySet<string> = new Set(WHITE_SPACE);

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
