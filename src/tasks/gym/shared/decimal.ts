/** Numbers compared as Python's `Decimal` compares them. */
import { asciiDigits, stripSpace } from '../../python/text.ts';
import type { ScoringMode } from '../../types.ts';
import { textScore } from './scoring.ts';

/** sign, digits before and behind the point, sign and digits of the exponent of ten */
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?)(\d+))?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** Beyond these Python's exact constructor raises (libmpdec's limits on 64 bit). */
const [LEAST_EXPONENT, MOST_EXPONENT] = [-1_999_999_999_999_999_997n, 999_999_999_999_999_999n];
/** An exponent with more digits lies beyond them, whatever the number's own length. */
const MOST_EXPONENT_DIGITS = 30;

/** How many characters `0` the text starts with. */
function leadingZeros(text: string): number {
  let count = 0;
  while (text.charAt(count) === '0') count++;
  return count;
}

/**
 * Canonical text of the number that Python's `Decimal(text)` is, so that equal numbers have equal texts: `-1.50e1` → `-15e0`, any
 * zero → `0`, `Infinity`, `-Infinity`. Null for NaN, which equals nothing, and where Python raises.
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

/**
 * 1 for an equal number, commas aside if wished; else what the text earns (reasoning-gym's `compute_decimal_reward`). In `strict` mode
 * numbers are compared in the same way, and a wrong one earns nothing.
 */
export function decimalScore(
  candidate: string | null,
  truth: string,
  mode: ScoringMode,
  stripCommas = true,
): number {
  if (candidate === null || candidate === '') return 0;
  const [given, wanted] = stripCommas
    ? [candidate.replaceAll(',', ''), truth.replaceAll(',', '')]
    : [candidate, truth];
  const number = canonicalDecimal(given);
  if (number !== null && number === canonicalDecimal(wanted)) return 1;
  return textScore(given, wanted, mode);
}
