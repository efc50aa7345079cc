/** Complex numbers as text. */
import { pythonFloat } from '../../python/numbers.ts';
import { skipSpace, splitSpace } from '../../python/text.ts';

export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** Parts closer to zero than this are left out. */
const ZERO = 1e-10;

/** A float as Python prints it, for whole numbers below 10^16. */
const printed = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`);

/** `3.0 - 4.0i`; with one part zero `3.00` or `-4.00i`. */
export function formatComplex({ re, im }: Complex): string {
  if (Math.abs(im) < ZERO) return re.toFixed(2);
  if (Math.abs(re) < ZERO) return `${im.toFixed(2)}i`;
  return `${printed(re)} ${im < 0 ? '-' : '+'} ${printed(Math.abs(im))}i`;
}

/** Longer text is no number that anybody asked for. */
const MOST_CHARACTERS = 4000;

/** Where the imaginary part starts: the last sign that belongs to no exponent; 0 where there is no real part. */
function lastSign(text: string): number {
  for (let at = text.length - 1; at > 0; at--) {
    if ((text[at] === '+' || text[at] === '-') && text[at - 1] !== 'e') return at;
  }
  return 0;
}

/** What stands before the `j`: a number, or a sign alone or nothing for 1. */
function imaginaryPart(text: string): number | null {
  if (text === '' || text === '+') return 1;
  return text === '-' ? -1 : pythonFloat(text);
}

/**
 * The number that reasoning-gym reads: no spaces, any case, any brackets around the whole, `i` or `j`, the real part first. Null where it
 * reads none. Parts may be infinite or NaN.
 */
export function readComplex(text: string): Complex | null {
  if (text.length > MOST_CHARACTERS) return null;
  let plain = text.replaceAll(' ', '').toLowerCase();
  while (plain.length > 1 && plain.startsWith('(') && plain.endsWith(')')) plain = plain.slice(1, -1);
  plain = plain.replaceAll('i', 'j');
  if (!plain.endsWith('j')) {
    const re = pythonFloat(plain);
    return re === null ? null : { re, im: 0 };
  }
  const first = skipSpace(plain, 0);
  // Python's complex() does not take the ASCII separators for whitespace.
  if (Array.from(plain.slice(0, first)).some((space) => space >= '\x1c' && space <= '\x1f')) return null;
  const body = plain.slice(first, -1);
  const start = lastSign(body);
  const re = start === 0 ? 0 : pythonFloat(body.slice(0, start));
  // A part may hold no whitespace, which a float by itself may.
  const im = splitSpace(body).join('') !== body ? null : imaginaryPart(body.slice(start));
  return re === null || im === null ? null : { re, im };
}
