/**
 * Evaluates expressions in Python's grammar with SymPy's numbers, as `sympy.parse_expr` does for the answers to puzzles. It runs nothing as
 * code, and limits on words, depth and digits bound its work.
 */
import * as exact from './rational.ts';
import * as algebra from './value.ts';
import { ValueError, type Quantity } from './value.ts';
import * as functions from './functions.ts';
import { tokenize, type Token } from './tokens.ts';
import { pythonFloat } from '@rl-playground/base/pythonNumbers';
import { stripSpace } from '../../python/text.ts';

/** `python`: `True` or `False` itself, which is a number; a comparison of sizes gives one that is not. */
type Value =
  | Quantity
  | { readonly kind: 'truth'; readonly value: boolean; readonly python: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Value[] };

/** Python's own limit on open brackets is 200, and SymPy puts one around each number. */
const MOST_OPEN = 199;
const LEVELS: readonly (readonly string[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '//', '%', '@'],
];
const COMPARISONS = ['<', '>', '<=', '>=', '==', '!=', 'in', 'not', 'is'];
const KEYWORDS =
  ' and or not if else is in lambda for while def class return yield await async with as import from try except finally raise pass break continue del global nonlocal assert elif ';
/** SymPy's names for things that are no numbers. */
const OBJECTS = ' S N O Q beta gamma zeta None ';

function quantity(value: Value): Quantity {
  if (value.kind === 'sum' || value.kind === 'special') return value;
  if (value.kind === 'truth' && value.python) return algebra.whole(value.value ? 1n : 0n);
  throw new ValueError('A number is needed.');
}

const truth = (value: boolean, python = true): Value => ({ kind: 'truth', value, python });

function isTrue(value: Value): boolean {
  if (value.kind === 'truth') return value.value;
  if (value.kind === 'sum') return value.terms.size > 0;
  return value.kind === 'list' ? value.items.length > 0 : value.kind !== 'text' || value.text !== '';
}

function same(a: Value, b: Value): boolean {
  if (a.kind === 'text' || b.kind === 'text')
    return a.kind === b.kind && JSON.stringify(a) === JSON.stringify(b);
  return algebra.describe(quantity(a)) === algebra.describe(quantity(b));
}

function bits(sign: string, a: Quantity, b: Quantity): Quantity {
  const [left, right] = [algebra.integerOf(a), algebra.integerOf(b)];
  if (left === null || right === null) throw new ValueError(`${sign} needs whole numbers.`);
  if (sign === '|') return algebra.whole(left | right);
  if (sign === '^') return algebra.whole(left ^ right);
  if (sign === '&') return algebra.whole(left & right);
  if (right < 0n) throw new ValueError('A shift needs a number of 0 or more.');
  if (right > 10_000n) throw new exact.TooLargeError('The shift is too wide; at most 10,000 places.');
  return algebra.whole(sign === '<<' ? left << right : left >> right);
}

const isWhole = (value: Value): boolean => value.kind === 'sum' && algebra.integerOf(value) !== null;

function operate(sign: string, left: Value, right: Value): Value {
  if (left.kind === 'truth' || right.kind === 'truth') {
    const sound = sign !== '/' && (isWhole(left) || isWhole(right) || left.kind === right.kind);
    if (!sound) throw new ValueError('True and False are numbers only beside whole numbers.');
  }
  const [a, b] = [quantity(left), quantity(right)];
  if (sign === '+') return algebra.add(a, b);
  if (sign === '-') return algebra.subtract(a, b);
  if (sign === '*') return algebra.multiply(a, b);
  if (sign === '/') return algebra.divide(a, b);
  if (sign === '//') return functions.floorDivide(a, b);
  if (sign === '%') return functions.remainder(a, b);
  if (sign === '@') throw new ValueError('@ needs matrices.');
  return bits(sign, a, b);
}

function literal(text: string): Quantity {
  const plain = text.replaceAll('_', '');
  if (/[jJ]$/.test(plain) && !/^0[xX]/.test(plain))
    return algebra.multiply(literal(plain.slice(0, -1)), algebra.imaginaryUnit());
  if (/^0[xXbBoO]/.test(plain)) return algebra.whole(BigInt(plain));
  if (/[.eE]/.test(plain)) return algebra.number(Number(plain));
  if (plain.length > 1200)
    throw new exact.TooLargeError('A number has more than 1,200 digits; write a shorter one.');
  return algebra.whole(BigInt(plain));
}

class Parser {
  private at = 0;
  private open = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  whole(): Value {
    const value = this.list('end');
    if (this.peek().kind !== 'end')
      throw new ValueError(`${this.peek().text.slice(0, 40)} was not expected.`);
    return value;
  }

  private peek(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: '' };
  }

  private sees(...texts: string[]): boolean {
    const { kind, text } = this.peek();
    return (kind === 'sign' || kind === 'name') && texts.includes(text);
  }

  private accept(text: string): boolean {
    const found = this.sees(text);
    if (found) this.at++;
    return found;
  }

  private expect(text: string): void {
    if (!this.accept(text)) throw new ValueError(`${text} is missing.`);
  }

  /** The expressions between commas up to `close`, and how many commas there are. */
  private items(close: string): { items: Value[]; commas: number } {
    const items: Value[] = [];
    let commas = 0;
    while (close === 'end' ? this.peek().kind !== 'end' : !this.sees(close)) {
      items.push(this.conditional());
      if (!this.accept(',')) break;
      commas++;
    }
    return { items, commas };
  }

  /** One expression, or a list of several between commas. */
  private list(close: string): Value {
    const { items, commas } = this.items(close);
    const [only] = items;
    if (only !== undefined && commas === 0) return only;
    if (items.length === 0 && close === 'end') throw new ValueError('The expression is empty.');
    return { kind: 'list', items };
  }

  private conditional(): Value {
    const value = this.joined('or');
    if (!this.accept('if')) return value;
    const condition = this.joined('or');
    this.expect('else');
    const other = this.conditional();
    return isTrue(condition) ? value : other;
  }

  private joined(word: 'or' | 'and'): Value {
    const next = () => (word === 'or' ? this.joined('and') : this.negation());
    let left = next();
    while (this.accept(word)) {
      const right = next();
      left = isTrue(left) === (word === 'or') ? left : right;
    }
    return left;
  }

  private negation(): Value {
    let times = 0;
    while (this.accept('not')) times++;
    const value = this.comparison();
    return times === 0 ? value : truth(isTrue(value) === (times % 2 === 0));
  }

  private comparison(): Value {
    let left = this.binary(0);
    let result: Value | null = null;
    while (this.sees(...COMPARISONS)) {
      const sign = this.peek().text;
      this.at++;
      if (sign === 'not') this.expect('in');
      const reversed = sign === 'is' && this.accept('not');
      const right = this.binary(0);
      const step = this.compare(sign, left, right, reversed);
      result = result === null || isTrue(result) ? step : result;
      left = right;
    }
    return result ?? left;
  }

  private compare(sign: string, left: Value, right: Value, reversed: boolean): Value {
    if (sign === 'in' || sign === 'not') {
      if (right.kind !== 'list') throw new ValueError('"in" needs a list.');
      return truth(right.items.some((item) => same(item, left)) === (sign === 'in'));
    }
    if (sign === '==' || sign === '!=' || sign === 'is')
      return truth(same(left, right) !== (sign === '!=' || reversed));
    const difference = algebra.approximate(algebra.subtract(quantity(left), quantity(right)));
    if (Number.isNaN(difference)) throw new ValueError('What is no number has no size.');
    const holds = { '<': difference < 0, '>': difference > 0, '<=': difference <= 0, '>=': difference >= 0 }[
      sign
    ];
    return truth(holds === true, false);
  }

  private binary(level: number): Value {
    const signs = LEVELS[level];
    if (signs === undefined) return this.unary();
    let left = this.binary(level + 1);
    while (this.sees(...signs)) {
      const sign = this.peek().text;
      this.at++;
      left = operate(sign, left, this.binary(level + 1));
    }
    return left;
  }

  private unary(): Value {
    const signs: string[] = [];
    while (this.sees('+', '-', '~')) {
      signs.push(this.peek().text);
      this.at++;
    }
    let value = this.powered();
    for (const sign of signs.reverse()) {
      const operand = quantity(value);
      const whole = algebra.integerOf(operand);
      if (sign === '~' && whole === null) throw new ValueError('~ needs a whole number.');
      value = sign === '-' ? algebra.negate(operand) : sign === '~' ? algebra.whole(~(whole ?? 0n)) : operand;
    }
    return value;
  }

  private powered(): Value {
    const base = this.primary();
    if (!this.accept('**')) return base;
    this.deeper();
    const exponent = this.unary();
    this.open--;
    if (base.kind === 'truth' || exponent.kind === 'truth')
      throw new ValueError('True and False have no powers.');
    return algebra.power(quantity(base), quantity(exponent));
  }

  private deeper(): void {
    this.open++;
    if (this.open > MOST_OPEN) throw new ValueError(`More than ${MOST_OPEN} brackets are open; use fewer.`);
  }

  private enclosed<Content>(close: string, read: () => Content): Content {
    this.deeper();
    const content = read();
    this.expect(close);
    this.open--;
    return content;
  }

  private primary(): Value {
    let value = this.atom();
    for (;;) {
      if (this.accept('(')) {
        const { items } = this.enclosed(')', () => this.items(')'));
        value = this.called(value, items);
      } else if (this.accept('!')) {
        const double = this.accept('!');
        if (this.accept('!')) throw new ValueError('More than two "!".');
        value = functions.factorial(quantity(value), double ? 2n : 1n);
      } else if (this.sees('.', '[')) throw new ValueError('Attributes and indices are not read.');
      else return value;
    }
  }

  private called(callee: Value, items: readonly Value[]): Value {
    if (callee.kind !== 'function') throw new ValueError('What is called is no function.');
    const [first] = items;
    const inner = first?.kind === 'list' && items.length === 1 ? first.items : null;
    if (callee.name === 'len' && inner !== null) return algebra.whole(BigInt(inner.length));
    if (callee.name === 'sum' && inner !== null)
      return inner.map(quantity).reduce(algebra.add, algebra.whole(0n));
    const lists = callee.name === 'min' || callee.name === 'max';
    return functions.call(callee.name, (lists && inner !== null ? inner : items).map(quantity));
  }

  private atom(): Value {
    const { kind, text } = this.peek();
    this.at++;
    if (kind === 'number') return literal(text);
    if (kind === 'text') return { kind: 'text', text: text.slice(1, -1) };
    if (kind === 'name') return this.named(text);
    if (kind === 'sign' && text === '(') return this.enclosed(')', () => this.list(')'));
    if (kind === 'sign' && (text === '[' || text === '{')) {
      const close = text === '[' ? ']' : '}';
      return { kind: 'list', items: this.enclosed(close, () => this.items(close)).items };
    }
    throw new ValueError(kind === 'end' ? 'The expression ends too early.' : `${text} was not expected.`);
  }

  private named(name: string): Value {
    if (KEYWORDS.includes(` ${name} `)) throw new ValueError(`${name} is a word of Python's.`);
    if (name === 'True' || name === 'False') return truth(name === 'True');
    const constant = Object.hasOwn(functions.CONSTANTS, name) ? functions.CONSTANTS[name] : undefined;
    if (constant !== undefined) return constant();
    if (this.sees('(') || Object.hasOwn(functions.FUNCTIONS, name) || Object.hasOwn(functions.ALIASES, name))
      return { kind: 'function', name };
    if (OBJECTS.includes(` ${name} `)) return { kind: 'function', name };
    return algebra.symbol(name);
  }
}

/** The value of an expression. Throws ValueError where it has none, TooLargeError where its numbers are too long. */
export function evaluate(text: string): Value {
  return new Parser(tokenize(stripSpace(text))).whole();
}

/** Python's `float()` of what `evaluate` gives. Throws ValueError where there is none. */
export function asFloat(value: Value): number {
  if (value.kind !== 'text') return algebra.approximate(quantity(value));
  const number = pythonFloat(value.text);
  if (number === null) throw new ValueError('The text is no number.');
  return number;
}

/** A sum of roots and constants that is so close to a whole number is taken for it. */
const NEARLY_WHOLE = 1e-9;

/** Python's `int()` of what `evaluate` gives: cut off towards 0. Throws ValueError where there is none. */
export function asInteger(value: Value): bigint {
  const number = quantity(value);
  const scalar = algebra.scalarOf(number);
  if (scalar !== null && typeof scalar === 'object') return scalar.p / scalar.q;
  const approximated = algebra.approximate(number);
  if (!Number.isFinite(approximated)) throw new ValueError('The value is not finite.');
  const nearest = Math.round(approximated);
  const near = scalar === null && Math.abs(approximated - nearest) < NEARLY_WHOLE;
  return BigInt(near ? nearest : Math.trunc(approximated));
}
