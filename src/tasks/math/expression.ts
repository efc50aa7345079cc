/** Numbers and polynomials written as expressions, read exactly and never evaluated as code. */
import { unless } from '@rl-playground/base/errors';
import {
  add,
  divide,
  isMultiple,
  multiply,
  negate,
  NoSurdError,
  power,
  rational,
  squareRoot,
  symbol,
  type Surd,
} from './surd.ts';

/** The longest answer that is compared, blanks at the ends aside. */
export const MOST_ANSWER = 20_000;

const MOST_LETTERS = 2;
/** The limits of expressions with letters. */
const MOST_SYMBOLS = 4;
const MOST_SYMBOLIC = 300;
/** Names of functions, and words, are no products of letters. */
const NO_PRODUCT =
  /sin|cos|tan|log|ln|exp|sec|csc|cot|max|min|gcd|lcm|det|mod|lim|inf|arg|deg|[fgh]\(|^[^-+*/^0-9=(]{2,}$/;
const POWERS_NOT_TRIED = /\^\{|\^\(|\^[0-9]+\^|\^[0-9][0-9]/;

/** Letters and powers on which the cookbook does not try to compare values. */
export function isTried(expression: string): boolean {
  if (POWERS_NOT_TRIED.test(expression)) return false;
  const letters = new Set(expression.replaceAll('sqrt', '').replaceAll('frac', '').match(/\p{L}/gu));
  return letters.size <= MOST_LETTERS;
}

/** The limits of expressions that are read. */
const MOST_CHARACTERS = 2000;
const MOST_DEPTH = 100;
const TOKEN = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|\*\*|sqrt|pi|[a-z]|[-+*/^()]/y;
const NUMBER = /^([0-9]*)\.?([0-9]*)(?:e([+-]?[0-9]+))?$/;
const MOST_EXPONENT = 2000;

/** Says whether letters in an expression can be taken for numbers. */
function isSymbolic(text: string): boolean {
  const letters = new Set(text.replaceAll(/sqrt|pi/g, '').match(/[a-z]/g));
  return text.length <= MOST_SYMBOLIC && letters.size <= MOST_SYMBOLS && !NO_PRODUCT.test(text);
}

function tokens(text: string, symbols: boolean): string[] {
  const found: string[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length;) {
    const match = TOKEN.exec(text);
    if (match === null || (!symbols && /^[a-z]$/.test(match[0])))
      throw new NoSurdError('A character has no place in a number.');
    found.push(match[0] === '^' ? '**' : match[0]);
  }
  return found;
}

/** Decimals are taken as the fractions they write. Python allows no leading zero on an integer. */
function numberValue(token: string): Surd {
  const [, whole = '', decimals = '', exponent = '0'] = NUMBER.exec(token) ?? [];
  if (/^0+[1-9]/.test(token) && /^[0-9]+$/.test(token)) throw new NoSurdError('An integer starts with zero.');
  const scale = Number(exponent) - decimals.length;
  if (Math.abs(scale) > MOST_EXPONENT) throw new NoSurdError('An exponent is too large.');
  const digits = BigInt(whole + decimals);
  return scale < 0 ? rational(digits, 10n ** BigInt(-scale)) : rational(digits * 10n ** BigInt(scale));
}

/** A parser with Python's precedence: unary minus binds less than a power on its left, and is allowed in the exponent. */
class Parser {
  private at = 0;
  private depth = 0;
  private readonly tokens: readonly string[];

  constructor(parts: readonly string[]) {
    this.tokens = parts;
  }

  whole(): Surd {
    const value = this.sum();
    if (this.at < this.tokens.length) throw new NoSurdError('Something follows the number.');
    return value;
  }

  private take(...wanted: readonly string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.at++;
    return token;
  }

  private deeper(read: () => Surd): Surd {
    if (++this.depth > MOST_DEPTH) throw new NoSurdError('Brackets are too deep.');
    const value = read();
    this.depth--;
    return value;
  }

  private sum(): Surd {
    let value = this.product();
    for (let sign = this.take('+', '-'); sign !== null; sign = this.take('+', '-')) {
      const next = this.product();
      value = add(value, sign === '-' ? negate(next) : next);
    }
    return value;
  }

  /** A factor right behind another is multiplied: `2pi`, `2(3)`. */
  private product(): Surd {
    let value = this.signed();
    for (;;) {
      const operator = this.take('*', '/');
      if (operator !== null) {
        const next = this.signed();
        value = operator === '*' ? multiply(value, next) : divide(value, next);
        continue;
      }
      const next = this.tokens[this.at];
      const factor =
        next !== undefined && (/^[(a-z]/.test(next) || (/^[0-9.]/.test(next) && this.afterBracket()));
      if (!factor) return value;
      value = multiply(value, this.raised());
    }
  }

  private afterBracket(): boolean {
    return [')', 'pi'].includes(this.tokens[this.at - 1] ?? '');
  }

  private signed(): Surd {
    const sign = this.take('+', '-');
    if (sign === null) return this.raised();
    const value = this.deeper(() => this.signed());
    return sign === '-' ? negate(value) : value;
  }

  private raised(): Surd {
    const base = this.primary();
    if (this.take('**') === null) return base;
    const exponent = this.deeper(() => this.signed());
    return power(base, exponent);
  }

  private primary(): Surd {
    if (this.take('(') !== null) return this.bracketed();
    if (this.take('sqrt') !== null) {
      if (this.take('(') === null) throw new NoSurdError('A root needs brackets.');
      return squareRoot(this.bracketed());
    }
    const token = this.tokens[this.at++] ?? '';
    if (/^(?:pi|[a-z])$/.test(token)) return symbol(token);
    if (!/^[0-9.]/.test(token)) throw new NoSurdError('A number is missing.');
    return numberValue(token);
  }

  private bracketed(): Surd {
    const value = this.deeper(() => this.sum());
    if (this.take(')') === null) throw new NoSurdError('A bracket stays open.');
    return value;
  }
}

function isShort(...texts: readonly string[]): boolean {
  return texts.every(({ length }) => length <= MOST_CHARACTERS);
}

/**
 * Says whether two expressions have the same exact value. They may hold numbers, `+ - * / ^`, brackets, square roots and `pi`, and with
 * `symbols` some letters, each for a number; anything else is false.
 */
export function equalExpressions(a: string, b: string, symbols = false): boolean {
  if (!isShort(a, b)) return false;
  const letters = symbols && isSymbolic(a) && isSymbolic(b);
  const valueOf = (text: string) => new Parser(tokens(text, letters)).whole();
  return unless([NoSurdError], false, () => add(valueOf(a), negate(valueOf(b))).length === 0);
}

/** Says whether two equations hold for the same numbers because one is the other times a number, as `x - y = 1` and `2y = 2x - 2`. */
export function equalEquations(a: string, b: string): boolean {
  if (!isShort(a, b) || !isSymbolic(a) || !isSymbolic(b)) return false;
  const difference = (equation: string): Surd => {
    const [left = '', right = '', ...more] = equation.split('=');
    if (more.length > 0) throw new NoSurdError('There are two equals signs.');
    const [above, below] = [left, right].map((side) => new Parser(tokens(side, true)).whole());
    return add(above ?? [], negate(below ?? []));
  };
  return unless([NoSurdError], false, () => isMultiple(difference(a), difference(b)));
}
