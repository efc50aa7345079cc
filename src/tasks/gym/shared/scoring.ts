/** The scores that most of reasoning-gym's datasets share: of the very text, and of an equal number. */
import { asciiDigits } from '@rl-playground/base/pythonText';
import { stripSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../define/types.ts';

/**
 * The base score: 1 for the same text. `upstream` also scores an answer that holds the truth by the truth's share of its length, such as
 * `130` for `30`; `strict` does not, and forgives whitespace at the ends.
 */
export function textScore(candidate: string, truth: string, mode: ScoringMode): number {
  if (candidate === '') return 0;
  if (mode === 'strict') return stripSpace(candidate) === stripSpace(truth) ? 1 : 0;
  if (candidate === truth) return 1;
  return candidate.includes(truth) ? codePoints(truth) / codePoints(candidate) : 0;
}

/** Says whether two texts differ only in case and in whitespace at their ends. */
export function sameWords(candidate: string, truth: string): boolean {
  return stripSpace(candidate).toLowerCase() === stripSpace(truth).toLowerCase();
}

/** Python's `len`: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** The longest answer that is read as a list, far beyond any right one, so that scoring stays quick. */
export const MOST_READ = 30_000;

/** sign, digits before and behind the point, sign and digits of the exponent of ten */
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?)(\d+))?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** The exponents at which Python's exact constructor raises (libmpdec's limits on 64 bit). */
const [LEAST_EXPONENT, MOST_EXPONENT] = [-1_999_999_999_999_999_997n, 999_999_999_999_999_999n];
/** An exponent with more digits lies beyond them, whatever the number's own length. */
const MOST_EXPONENT_DIGITS = 30;

const leadingZeros = (text: string): number => /^0*/.exec(text)?.[0].length ?? 0;

/**
 * A text that equal numbers of Python's `Decimal` share: `-1.50e1` → `-15e0`, any zero → `0`, `Infinity`, `-Infinity`. It is null for NaN,
 * which equals nothing, and for text that Python refuses.
 */
export function canonicalDecimal(text: string): string | null {
  // Unlike float, Decimal drops underscores wherever they stand.
  const plain = asciiDigits(stripSpace(text)).replaceAll('_', '');
  const match = DECIMAL.exec(plain);
  if (match === null) {
    const infinite = INFINITE.exec(plain);
    return infinite === null ? null : `${infinite[1] === '-' ? '-' : ''}Infinity`;
  }
  const [, sign = '', whole = '', fraction = '', exponentSign = '', exponentText = '0'] = match;
  const all = whole + fraction;
  const exponentDigits = exponentText.slice(leadingZeros(exponentText));
  if (all === '' || exponentDigits.length > MOST_EXPONENT_DIGITS) return null;
  const exponent =
    BigInt(`${exponentSign}${exponentDigits === '' ? '0' : exponentDigits}`) - BigInt(fraction.length);
  const first = leadingZeros(all);
  let end = all.length;
  while (end > first && all.charAt(end - 1) === '0') end--;
  const zero = end === first;
  const ofFirstDigit = zero ? exponent : exponent + BigInt(all.length - first - 1);
  if (exponent < LEAST_EXPONENT || ofFirstDigit > MOST_EXPONENT) return null;
  if (zero) return '0';
  return `${sign === '-' ? '-' : ''}${all.slice(first, end)}e${exponent + BigInt(all.length - end)}`;
}

/** Scores 1 for an equal number, with or without commas, as reasoning-gym's `compute_decimal_reward` does. Other texts have their `textScore`. */
export function decimalScore(
  candidate: string,
  truth: string,
  mode: ScoringMode,
  stripCommas = true,
): number {
  if (candidate === '') return 0;
  const [given, wanted] = stripCommas
    ? [candidate.replaceAll(',', ''), truth.replaceAll(',', '')]
    : [candidate, truth];
  const number = canonicalDecimal(given);
  if (number !== null && number === canonicalDecimal(wanted)) return 1;
  return textScore(given, wanted, mode);
}
