/** Numbers as people write them: 1,234.5, −3, 2 1/2, \frac{3}{4}, 3 × 10^8, 50 %, $18. They are read exactly. */
import { Scanner } from '../python/scanner.ts';
import {
  type Fraction,
  fractionOf,
  isInteger,
  negative,
  product,
  quotient,
  raised,
  sameFraction,
  shifted,
  sum,
} from './fraction.ts';
import { superscriptValue, VULGAR } from './signs.ts';

export interface Numeral {
  /** The value, without a percent sign. */
  readonly value: Fraction;
  readonly percent: boolean;
  /** It is written as one whole number over another, in lowest terms or not. */
  readonly ratio: 'lowest' | 'other' | null;
  /** A whole number that is left to be worked out: 84/2, 2^10. A power of ten is not. */
  readonly undone: boolean;
}

/** Digits that one number may have. */
const MOST_DIGITS = 4300;

const GAP = String.raw`(?:[ \t~]|\\[,;:! ])*`;
/** Thousands with one mark throughout, hundreds of thousands as in India, and dots, which are thousands from the second one on. */
const MARKED = /\d{1,3}(,|\{,\}|,\\! ?|\\[,;: ]|['_ ~])\d{3}(?:\1\d{3})*(?!\d)/y;
const LAKHS = /\d{1,2}(?:,\d{2})+,\d{3}(?!\d)/y;
const DOTTED = /\d{1,3}(?:(?:\.\d{3}){2,}(?![\d.])|(?:\.\d{3})+(?=,\d{1,2}(?!\d)))/y;
const DIGITS = /\d+/y;
const DECIMALS = /\.(\d+)/y;
const COMMA_DECIMALS = /,(\d{1,2})(?!\d)/y;
const EXPONENT = /[eE]([-+]?\d{1,4})(?![\d.])/y;
const POWER = new RegExp(
  String.raw`(?:\*\*|${GAP}\^${GAP})(?:([-+]?\d{1,4})(?!\.?\d)|\{\s?([-+]?\d{1,4})\s?\}|\(\s?([-+]?\d{1,4})\s?\))|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})`,
  'y',
);
const TIMES_TEN = new RegExp(String.raw`${GAP}(?:\*|\\times|\\cdot|x|X)${GAP}10(?!\d)`, 'y');
const SLASH = new RegExp(`${GAP}/${GAP}`, 'y');
const FRAC = /\\[dtc]?frac/y;
const ARGUMENT = /[ \t]*(?:\{([^{}]*)\}|(\d))/y;
const PROPER = new RegExp(String.raw`(?:[ \t~]|\\[,;:! ])${GAP}(\d+)${GAP}/${GAP}(\d+)(?![\d./])`, 'y');
const BEFORE_FRAC = new RegExp(String.raw`${GAP}(?=\\[dtc]?frac|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒])`, 'y');
const SIGN = new RegExp(`([-+])${GAP}|(minus|negative)[ \\t]+`, 'iy');
const CURRENCY = new RegExp(String.raw`(?:(?:US)?\\?\$|[€£¥₹]|(?:USD|EUR|GBP|Rs\.?)(?=[ \t\d]))${GAP}`, 'y');
const PERCENT = new RegExp(String.raw`${GAP}(?:\\?%|(?:per ?cent|pct|percentage)\b)`, 'iy');
const MULTIPLE = new RegExp(String.raw`${GAP}(hundred|thousand|million|billion|trillion)\b`, 'iy');
const POWERS_OF_WORDS: Readonly<Record<string, number>> = {
  hundred: 2,
  thousand: 3,
  million: 6,
  billion: 9,
  trillion: 12,
};

/** A number and how it is written. */
interface Written {
  readonly value: Fraction;
  /** It is made of digits alone. */
  readonly whole: boolean;
  readonly ratio: Numeral['ratio'];
  readonly undone: boolean;
}

const plainly = (value: Fraction | null, whole = false): Written | null =>
  value && { value, whole, ratio: null, undone: false };

const TEN: Fraction = { above: 10n, below: 1n };

class Reader extends Scanner {
  place(): number {
    return this.at;
  }

  from(at: number): this {
    this.at = at;
    return this;
  }

  numeral(): Numeral | null {
    const sign = this.sign();
    this.match(CURRENCY);
    const inner = sign === null ? this.sign() : null;
    const written = this.unsigned();
    if (written === null) return null;
    const multiple = this.match(MULTIPLE)?.[1]?.toLowerCase();
    const power = multiple === undefined ? 0 : (POWERS_OF_WORDS[multiple] ?? 0);
    const size = shifted(written.value, power);
    if (size === null) return null;
    const value = (sign ?? inner) === '-' ? negative(size) : size;
    return { value, percent: this.match(PERCENT) !== null, ratio: written.ratio, undone: written.undone };
  }

  private sign(): '-' | '+' | null {
    const [found, mark] = this.match(SIGN) ?? [];
    if (found === undefined) return null;
    return mark === '+' ? '+' : '-';
  }

  private unsigned(): Written | null {
    const leading = this.fraction();
    if (leading !== null) return leading;
    const first = this.factor();
    if (first === null) return null;
    if (first.whole) {
      const part = this.part();
      if (part !== null) return plainly(sum(first.value, part));
    }
    const behind = this.at;
    if (this.match(SLASH) !== null) {
      const second = this.factor();
      const value = second && quotient(first.value, second.value);
      if (second !== null && value !== null) return this.ratioOf(first, second, value);
      this.at = behind;
    }
    return first;
  }

  private ratioOf(above: Written, below: Written, value: Fraction): Written {
    const undone = isInteger(value) || above.undone || below.undone;
    if (!isInteger(above.value) || !isInteger(below.value))
      return { value, whole: false, ratio: null, undone };
    const [top, bottom] = [above.value.above, below.value.above];
    const lowest = sameFraction(
      value,
      bottom < 0n ? { above: -top, below: -bottom } : { above: top, below: bottom },
    );
    return { value, whole: false, ratio: lowest ? 'lowest' : 'other', undone };
  }

  /** `\frac{a}{b}`, `\frac12` or ½. */
  private fraction(): Written | null {
    const vulgar = VULGAR.get(this.text.charAt(this.at));
    if (vulgar !== undefined) {
      this.at++;
      const value = fractionOf(...vulgar);
      return value && { value, whole: false, ratio: 'lowest', undone: false };
    }
    const start = this.at;
    if (this.match(FRAC) !== null) {
      const above = this.argument();
      const below = above && this.argument();
      const value = above && below && quotient(above.value, below.value);
      if (above && below && value) return this.ratioOf(above, below, value);
    }
    this.at = start;
    return null;
  }

  private argument(): Written | null {
    const [found, braced, digit] = this.match(ARGUMENT) ?? [];
    if (found === undefined) return null;
    const numeral = wholeNumeral((braced ?? digit ?? '').trim());
    return numeral === null || numeral.percent ? null : { ...numeral, whole: false };
  }

  /** The fraction of a mixed number. */
  private part(): Fraction | null {
    const start = this.at;
    const [, above, below] = this.match(PROPER) ?? [];
    if (above !== undefined && below !== undefined && above.length + below.length <= MOST_DIGITS) {
      const value = fractionOf(BigInt(above), BigInt(below));
      if (value !== null && value.above < value.below) return value;
    }
    this.at = start;
    if (this.match(BEFORE_FRAC) !== null) {
      const fraction = this.fraction();
      if (fraction !== null && fraction.value.above > 0n && fraction.value.above < fraction.value.below)
        return fraction.value;
    }
    this.at = start;
    return null;
  }

  /** A decimal, perhaps with a power of its own or of ten. */
  private factor(): Written | null {
    const decimal = this.decimal();
    if (decimal === null) return null;
    const start = this.at;
    if (this.match(TIMES_TEN) !== null) {
      const power = this.power();
      const value = power === null ? null : shifted(decimal.value, power);
      if (value !== null) return plainly(value);
      this.at = start;
    }
    const power = this.power();
    if (power === null) return decimal;
    const value = raised(decimal.value, power);
    return value && { value, whole: false, ratio: null, undone: !sameFraction(decimal.value, TEN) };
  }

  private power(): number | null {
    const [found, bare, braced, bracketed, superscript] = this.match(POWER) ?? [];
    if (found === undefined) return null;
    return superscript === undefined ? Number(bare ?? braced ?? bracketed) : superscriptValue(superscript);
  }

  private decimal(): Written | null {
    const [marked, mark] = this.match(MARKED) ?? this.match(LAKHS) ?? [];
    const dotted = marked === undefined ? this.match(DOTTED)?.[0] : undefined;
    const plain = marked === undefined && dotted === undefined ? this.match(DIGITS)?.[0] : undefined;
    const whole = marked ?? dotted ?? plain ?? '';
    const byComma =
      dotted !== undefined || (marked !== undefined && mark !== undefined && !mark.includes(','));
    const decimals =
      (dotted === undefined ? this.match(DECIMALS)?.[1] : undefined) ??
      (byComma ? this.match(COMMA_DECIMALS)?.[1] : undefined);
    const digits = whole.replaceAll(/\D/g, '') + (decimals ?? '');
    if (digits === '') return null;
    const exponent = this.match(EXPONENT)?.[1];
    if (digits.length > MOST_DIGITS) return null;
    const value = shifted(
      { above: BigInt(digits), below: 1n },
      Number(exponent ?? 0) - (decimals?.length ?? 0),
    );
    return plainly(value, plain !== undefined && decimals === undefined && exponent === undefined);
  }
}

/** The number at a place of a text with plain signs and the place behind it, or null if there is none. */
export function numeralAt(
  text: string,
  at: number,
): { readonly numeral: Numeral; readonly end: number } | null {
  const reader = new Reader(text).from(at);
  const numeral = reader.numeral();
  return numeral && { numeral, end: reader.place() };
}

/** The number that is a whole text with plain signs, or null. */
export function wholeNumeral(text: string): Numeral | null {
  const found = numeralAt(text, 0);
  return found?.end === text.length ? found.numeral : null;
}

/** The rule for a percent sign: it is ignored, counts as a hundredth, or may be either. */
export type PercentRule = 'ignored' | 'counts' | 'either';

const hundredth = ({ value, percent }: Numeral): Fraction =>
  (percent ? product(value, { above: 1n, below: 100n }) : null) ?? value;

/** The value under a rule that leaves no choice. */
export const valueOf = (numeral: Numeral, rule: 'ignored' | 'counts'): Fraction =>
  rule === 'counts' ? hundredth(numeral) : numeral.value;

/**
 * Says whether a number that was given is the right one. A division or a power that is left undone is no answer for a whole number: the
 * question “84/2” must not be its own answer.
 */
export function sameNumeral(truth: Numeral, given: Numeral, rule: PercentRule): boolean {
  if (given.undone && !truth.undone && isInteger(truth.value)) return false;
  return (
    (rule !== 'counts' && sameFraction(truth.value, given.value)) ||
    (rule !== 'ignored' && sameFraction(hundredth(truth), hundredth(given)))
  );
}
