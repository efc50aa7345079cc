/** Numbers in texts as Python's `float()` and `int()` read them. */
import { readInteger, stripSpace } from '../pythonText.ts';

const FLOAT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i;
const NAMED = /^([+-]?)(inf|infinity|nan)$/i;
const LONE_UNDERSCORE = /^_|_$|[^0-9]_|_[^0-9]/;

/** Every Unicode decimal digit as its ASCII one. */
function asciiDigits(text: string): string {
  if (!/\P{ASCII}/u.test(text)) return text;
  return text.replace(/\p{Nd}/gu, (digit) => readInteger(digit, 0)?.value ?? digit);
}

/** What Python's `float(text)` gives, or null where it raises. Underscores between digits are allowed. Linear. */
export function pythonFloat(text: string): number | null {
  const trimmed = stripSpace(asciiDigits(text));
  const named = NAMED.exec(trimmed);
  if (named !== null) {
    const size = named[2]?.toLowerCase() === 'nan' ? NaN : Infinity;
    return named[1] === '-' ? -size : size;
  }
  if (LONE_UNDERSCORE.test(trimmed)) return null;
  const digits = trimmed.replaceAll('_', '');
  return FLOAT.test(digits) ? Number(digits) : null;
}

/** How far from an integer a number may be and still count as one. */
const WHOLE_TOLERANCE = 1e-7;

export function isWhole(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && Math.abs(value - Math.round(value)) <= WHOLE_TOLERANCE;
}
