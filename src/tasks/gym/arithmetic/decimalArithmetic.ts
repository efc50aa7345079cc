/**
 * Sums, products and quotients of decimal numbers after the General Decimal Arithmetic specification. Zeros at the end are kept, as in
 * Python's `decimal`.
 */
import { unless } from '@rl-playground/base/errors';
import { magnitude } from '../../define/wholeNumbers.ts';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { stripSpace } from '../../python/text.ts';
import { needed } from '../shared/attempts.ts';
import { defineGymTask, whole, type ConfigOf } from '../shared/define.ts';
import { isPlainNumber } from '../shared/floatText.ts';
import { evaluateInfix } from '../shared/infix.ts';
import { canonicalDecimal } from '../shared/scoring.ts';

/** coefficient · 10^exponent */
interface DecimalNumber {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const NOTHING: DecimalNumber = { coefficient: 0n, exponent: 0 };
const power = (exponent: number): bigint => 10n ** BigInt(exponent);

/** `12.340` or `7`; throws for other text. */
function readDecimalNumber(text: string): DecimalNumber {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match)
    throw new Error(`"${text.slice(0, 40)}" is no decimal number; write digits and a point, such as 1.250.`);
  const [, whole = '', fraction = ''] = match;
  return { coefficient: BigInt(whole + fraction), exponent: -fraction.length };
}

/** Rounds to at most `digits` significant digits, halves away from zero. */
function roundDecimal(value: DecimalNumber, digits: number): DecimalNumber {
  const excess = `${magnitude(value.coefficient)}`.length - digits;
  if (excess <= 0) return value;
  const unit = power(excess);
  const rounded = (magnitude(value.coefficient) + unit / 2n) / unit;
  const coefficient = value.coefficient < 0n ? -rounded : rounded;
  return roundDecimal({ coefficient, exponent: value.exponent + excess }, digits);
}

function addDecimals(left: DecimalNumber, right: DecimalNumber): DecimalNumber {
  const exponent = Math.min(left.exponent, right.exponent);
  const at = (value: DecimalNumber) => value.coefficient * power(value.exponent - exponent);
  return { coefficient: at(left) + at(right), exponent };
}

const negateDecimal = ({ coefficient, exponent }: DecimalNumber): DecimalNumber => ({
  coefficient: -coefficient,
  exponent,
});

const multiplyDecimals = (left: DecimalNumber, right: DecimalNumber): DecimalNumber => ({
  coefficient: left.coefficient * right.coefficient,
  exponent: left.exponent + right.exponent,
});

/**
 * Divides to `digits` significant digits. An exact quotient has no more zeros at its end than its parts ask for. Throws a RangeError for a
 * divisor of 0.
 */
function divideDecimals(left: DecimalNumber, right: DecimalNumber, digits: number): DecimalNumber {
  if (right.coefficient === 0n) throw new RangeError('A number is divided by 0; choose another divisor.');
  const ideal = left.exponent - right.exponent;
  const shift = Math.max(
    0,
    `${magnitude(right.coefficient)}`.length - `${magnitude(left.coefficient)}`.length + digits + 2,
  );
  const scaled = left.coefficient * power(shift);
  let coefficient = scaled / right.coefficient;
  let exponent = ideal - shift;
  if (coefficient * right.coefficient === scaled) {
    for (; exponent < ideal && coefficient % 10n === 0n; exponent++) coefficient /= 10n;
  }
  return roundDecimal({ coefficient, exponent }, digits);
}

/** Python's `str`: plain down to a millionth, `1.2E-7` below, and above where the last digit is no unit. */
function writeDecimal({ coefficient, exponent }: DecimalNumber): string {
  const digits = `${magnitude(coefficient)}`;
  const sign = coefficient < 0n ? '-' : '';
  const leading = exponent + digits.length;
  if (exponent <= 0 && leading > -6) {
    if (exponent === 0) return sign + digits;
    const padded = digits.padStart(1 - exponent, '0');
    return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}E${leading > 0 ? '+' : ''}${leading - 1}`;
}

const fields = {
  min_num_decimal_places: whole(
    'Fewest decimals',
    'Digits behind the point of the shortest numbers.',
    1,
    10,
    3,
  ),
  max_num_decimal_places: whole('Most decimals', 'Digits behind the point of the longest numbers.', 1, 10, 3),
  min_terms: whole('Fewest numbers', 'Fewest numbers in an expression.', 2, 12, 2),
  max_terms: whole('Most numbers', 'Most numbers in an expression.', 2, 12, 6),
  precision: whole('Significant digits', 'To how many digits the result is rounded.', 3, 30, 12),
};
type Config = ConfigOf<typeof fields>;

const OPERATORS = ['+', '-', '*', '/'] as const;
/** Significant digits between the first step and the last, far beyond any answer's. */
const WORKING_DIGITS = 80;
/** The number of attempts to draw an expression that does not divide by 0. */
const ATTEMPTS = 100;

/** Upstream's difference between the answers, of 12 significant digits, is at most 0.001: before rounding half a unit more. */
const UPSTREAM_TOLERANCE: DecimalNumber = { coefficient: 1_000_000_000_005n, exponent: -15 };

/** The rules of an expression whose every step is rounded to so many digits. */
const rules = (digits: number) => ({
  levels: [
    ['+', '-'],
    ['*', '/'],
  ],
  // Upstream reads numbers as floats first, which drops zeros at their ends.
  value: (text: string) => readDecimalNumber(text.replace(/(\.\d+?)0+$/, '$1')),
  apply(operator: string, left: DecimalNumber, right: DecimalNumber): DecimalNumber {
    if (operator === '/') return divideDecimals(left, right, digits);
    const exact =
      operator === '*'
        ? multiplyDecimals(left, right)
        : addDecimals(left, operator === '-' ? negateDecimal(right) : right);
    return roundDecimal(exact, digits);
  },
});

/** Operands with operators between them, half of the groups in brackets. */
function group(draw: Draw, operands: readonly string[], operators: readonly string[]): string {
  const [first = ''] = operands;
  if (operands.length <= 1) return first;
  const split = uniformInt(draw, 1, operands.length - 1);
  const left = group(draw, operands.slice(0, split), operators.slice(0, split - 1));
  const right = group(draw, operands.slice(split), operators.slice(split));
  const whole = `${left}${operators[split - 1]}${right}`;
  return draw() < 0.5 ? `(${whole})` : whole;
}

function drawExpression(draw: Draw, config: Config): string {
  const terms = uniformInt(draw, config.min_terms, config.max_terms);
  const operands = Array.from({ length: terms }, () => {
    const places = uniformInt(draw, config.min_num_decimal_places, config.max_num_decimal_places);
    return writeDecimal({ coefficient: BigInt(uniformInt(draw, 1, 10 * 10 ** places)), exponent: -places });
  });
  const operators = Array.from({ length: terms - 1 }, () => pick(draw, OPERATORS));
  return group(draw, operands, operators);
}

/** The value of an expression, with `working` digits in between, or null if it divides by 0. */
export function workOutDecimals(
  expression: string,
  precision: number,
  working = WORKING_DIGITS,
): string | null {
  return unless([RangeError], null, () =>
    writeDecimal(roundDecimal(evaluateInfix(expression, rules(working)), precision)),
  );
}

/** The number of a canonical text, or null if it is not finite or has more than 10,000 digits on a side of its point. */
function readCanonical(text: string | null): DecimalNumber | null {
  if (text === '0') return NOTHING;
  const [digits = '', exponent] = text?.split('e') ?? [];
  const places = Number(exponent);
  if (exponent === undefined || digits.length > 10_000 || Math.abs(places) > 10_000) return null;
  return { coefficient: BigInt(digits), exponent: places };
}

/** Long numbers cut where no tolerance reaches, a digit at the cut telling of what followed. */
function shorten(canonical: string | null): string | null {
  const match = /^(-?)(\d+)e(-?\d+)$/.exec(canonical ?? '');
  if (!match) return canonical;
  const [, sign = '', digits = '', exponent = '0'] = match;
  const dropped = digits.length - 1000;
  if (dropped > 0) return `${sign}${digits.slice(0, 1000)}1e${BigInt(exponent) + BigInt(dropped) - 1n}`;
  // What is smaller than any tolerance acts like any other such number.
  return BigInt(exponent) < -9000n && digits.length + Number(exponent) < -4000 ? `${sign}1e-5000` : canonical;
}

/** Says whether two texts are finite numbers that differ by at most the tolerance. */
function isWithin(candidate: string, truth: string, tolerance: DecimalNumber): boolean {
  const [given, wanted] = [candidate, truth].map((text) => readCanonical(shorten(canonicalDecimal(text))));
  if (!given || !wanted) return false;
  const difference = addDecimals(given, negateDecimal(wanted));
  const size = difference.coefficient < 0n ? negateDecimal(difference) : difference;
  return addDecimals(size, negateDecimal(tolerance)).coefficient <= 0n;
}

/** A unit of the last of so many significant digits of a number. */
function lastUnit(truth: string, precision: number): DecimalNumber {
  const { coefficient, exponent } = readCanonical(canonicalDecimal(truth)) ?? NOTHING;
  const digits = `${coefficient}`.replace('-', '').length;
  return { coefficient: 1n, exponent: exponent + digits - precision };
}

export const decimalArithmetic = defineGymTask({
  name: 'decimal_arithmetic',
  title: 'Decimal arithmetic',
  summary: 'Work out an expression of decimal numbers to 12 significant digits.',
  family: 'arithmetic',
  fields,
  levels: [
    { min_num_decimal_places: 1, max_num_decimal_places: 1, max_terms: 2 },
    { min_num_decimal_places: 2, max_num_decimal_places: 2, max_terms: 3 },
    { max_terms: 4 },
    {},
    { max_num_decimal_places: 8 },
  ],
  metadata: (z) => ({ expression: z.string().optional(), precision: z.number().optional() }),
  checkConfig({ precision, max_num_decimal_places }) {
    const least = max_num_decimal_places + 2;
    return precision < least
      ? `precision: ${precision} is too small for max_num_decimal_places, ${max_num_decimal_places}; choose at least ${least}.`
      : null;
  },
  draw(draw, config) {
    const error = `decimal_arithmetic: each of ${ATTEMPTS} expressions divides by 0; one that doesn't is needed. Choose more decimals.`;
    const { expression, answer } = needed(ATTEMPTS, error, () => {
      const drawn = drawExpression(draw, config);
      const worked = workOutDecimals(drawn, config.precision);
      return worked === null ? null : { expression: drawn, answer: worked };
    });
    return {
      question: `Work out the following to at most ${config.precision} significant digits, rounding halves up. Answer with the final number alone.\n${expression} = ?`,
      compact: `decimal_arithmetic ${expression}`,
      key: expression,
      answer,
      data: { expression, precision: config.precision },
    };
  },
  scoreAnswer(candidate, { answer, metadata: { precision = 12 } }, mode) {
    if (mode === 'strict' && !isPlainNumber(stripSpace(candidate))) return 0;
    const tolerance = mode === 'upstream' ? UPSTREAM_TOLERANCE : lastUnit(answer, precision);
    return isWithin(candidate, answer, tolerance) ? 1 : 0;
  },
});
