/** Numbers out of text, as Python's `int()`, `float()` and `Fraction()` (3.11) read them. Linear in its length. */
import { asciiDigits, WHITE_SPACE } from './pythonText.ts';

/** The most digits of a whole number that Python turns from or into text in a base that is no power of two. */
export const MOST_DIGITS = 4300;

/** `int()` and `float()` strip what `str.strip()` does but for four separators of ASCII. */
const BLANKS = WHITE_SPACE.replace('\x1c\x1d\x1e\x1f', '');

/** The text of a number in ASCII's digits, without the blanks around it. */
export function bareNumeral(text: string, blanks = BLANKS): string {
  const isBlank = (at: number) => blanks.includes(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return asciiDigits(text.slice(start, end));
}

/** The digits without single underscores between them, or null for other text. */
function joinDigits(text: string): string | null {
  return /^[0-9a-z_]+$/i.test(text) && !text.startsWith('_') && !text.endsWith('_') && !text.includes('__')
    ? text.replaceAll('_', '')
    : null;
}

const PREFIXES: Readonly<Record<string, readonly [digits: RegExp, prefix: string]>> = {
  x: [/^[0-9a-f]+$/i, '0x'],
  o: [/^[0-7]+$/, '0o'],
  b: [/^[01]+$/, '0b'],
};

/** A whole number after its sign; with `prefixes`, `0x`, `0o` and `0b` name a base and no zero leads. */
function magnitude(text: string, prefixes: boolean): bigint | null {
  const named = prefixes && text.startsWith('0') ? PREFIXES[text.charAt(1).toLowerCase()] : undefined;
  if (named) {
    const [allowed, prefix] = named;
    const digits = joinDigits(text.charAt(2) === '_' ? text.slice(3) : text.slice(2));
    return digits !== null && allowed.test(digits) ? BigInt(prefix + digits) : null;
  }
  const digits = joinDigits(text);
  if (digits === null || digits.length > MOST_DIGITS || !/^[0-9]+$/.test(digits)) return null;
  return prefixes && /^0+[1-9]/.test(digits) ? null : BigInt(digits);
}

function signed(text: string, prefixes: boolean): bigint | null {
  const value = magnitude(/^[+-]/.test(text) ? text.slice(1) : text, prefixes);
  return value !== null && text.startsWith('-') ? -value : value;
}

/** Texts longer than this are no `int()`: that many digits of two code units each with underscores between them, and the sign. */
const LONGEST_INT = 3 * MOST_DIGITS + 1;

/** Python's `int(text)`, or null if it raises. */
export function pythonInt(text: string): bigint | null {
  if (/^[0-9]{1,15}$/.test(text)) return BigInt(text);
  const bare = bareNumeral(text);
  return bare.length > LONGEST_INT ? null : signed(bare, false);
}

/** Python's `int(text, 0)`, in which a prefix names the base, or null if it raises. */
export function pythonIntLiteral(text: string): bigint | null {
  return signed(bareNumeral(text), true);
}

/** Python's `float(text)`, which reads `nan` and `inf` too, or null if it raises. */
export function pythonFloat(text: string): number | null {
  const bare = bareNumeral(text);
  const word = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(bare);
  if (word) return word[2] === undefined ? NaN : word[1] === '-' ? -Infinity : Infinity;
  const digits = bare.replace(/(?<=[0-9])_(?=[0-9])/g, '');
  return /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?$/i.test(digits) ? Number(digits) : null;
}

/** A ratio of whole numbers, not reduced; the denominator is above 0. */
export interface PythonRatio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const GROUPS = '[0-9]+(?:_[0-9]+)*';
const RATIO = new RegExp(
  `^([+-]?)(?=[0-9]|\\.[0-9])((?:${GROUPS})?)(?:/(${GROUPS})|(?:\\.((?:${GROUPS})?))?(?:e([+-]?${GROUPS}))?)$`,
  'i',
);
/** Longer powers of ten are not built, because no other number reaches them. */
const MOST_POWER = 20_000;

/** Python's `Fraction(text)`, or null if it raises. A power of ten is cut at 20,000, which no float reaches from 4,300 digits. */
export function pythonFraction(text: string): PythonRatio | null {
  const ascii = bareNumeral(text, WHITE_SPACE);
  const match = ascii.length > 8 * MOST_DIGITS ? null : RATIO.exec(ascii);
  if (!match) return null;
  const [, sign = '', ...groups] = match;
  const [whole, below, fraction, power] = groups.map((group) => (group ?? '').replaceAll('_', ''));
  if ([whole, below, fraction, power].some((digits = '') => digits.replace(/^[+-]/, '').length > MOST_DIGITS))
    return null;
  const scale = 10n ** BigInt(fraction?.length ?? 0);
  const numerator = BigInt(whole || '0') * scale + BigInt(fraction || '0');
  const denominator = scale * BigInt(below || '1');
  if (denominator === 0n) return null;
  const shift = Math.max(-MOST_POWER, Math.min(MOST_POWER, Number(power || '0')));
  return {
    numerator: (sign === '-' ? -numerator : numerator) * (shift > 0 ? 10n ** BigInt(shift) : 1n),
    denominator: denominator * (shift < 0 ? 10n ** BigInt(-shift) : 1n),
  };
}
