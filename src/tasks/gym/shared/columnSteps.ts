/** Sums, differences and products of whole numbers worked out digit by digit, units first, as a starter model learns to. */
import { magnitude } from '../../define/wholeNumbers.ts';

/** Digits from the units up; zeros beyond the last one up to `length`. */
const digitsOf = (value: bigint, length: number): number[] =>
  Array.from(`${value}`.padStart(length, '0'), Number).toReversed();

/** `7+8=15`, `4+3+1=8` for 47 and 38: each column with the carry of the one before it, and `blank` around signs. */
export function addColumns(a: bigint, b: bigint, blank = ''): string[] {
  const length = Math.max(`${a}`.length, `${b}`.length);
  const [top, bottom] = [digitsOf(a, length), digitsOf(b, length)];
  let carry = 0;
  return top.map((digit, i) => {
    const terms = [digit, bottom[i] ?? 0, ...(carry === 1 ? [1] : [])];
    const sum = terms.reduce((all, term) => all + term);
    carry = sum > 9 ? 1 : 0;
    return `${terms.join(`${blank}+${blank}`)}${blank}=${blank}${sum}`;
  });
}

/** `12-8=4 4-3=1` for 52 and 38: the upper digits after borrowing. Needs a ≥ b. */
function subtractColumns(a: bigint, b: bigint): string {
  const bottom = digitsOf(b, `${a}`.length);
  let borrow = 0;
  return digitsOf(a, 0)
    .map((digit, i) => {
      const other = bottom[i] ?? 0;
      const left = digit - borrow;
      borrow = left < other ? 1 : 0;
      const lent = left + 10 * borrow;
      return `${lent}-${other}=${lent - other}`;
    })
    .join(' ');
}

/** `2*7=14 7*7+1=50` for 72 and 7: each column with the carry of the one before it. `factor` has one digit. */
function multiplyColumns(a: bigint, factor: number): string {
  let carry = 0;
  return digitsOf(a, 0)
    .map((digit) => {
      const product = digit * factor + carry;
      const column = `${digit}*${factor}${carry > 0 ? `+${carry}` : ''}=${product}`;
      carry = Math.floor(product / 10);
      return column;
    })
    .join(' ');
}

/**
 * The line that works out `a + b` for `b` of either sign, such as `47 + 38: 7+8=15 4+3+1=8 so 85`. A negative result is worked out by its
 * amount: `23 - 58 = -(58 - 23): 8-3=5 5-2=3 so -35`.
 */
export function sumLine(a: bigint, b: bigint): string {
  const asked = `${a} ${b < 0n ? '-' : '+'} ${magnitude(b)}`;
  const sum = a + b;
  const minus = sum < 0n;
  if (a < 0n === b < 0n) {
    const [first, second] = [magnitude(a), magnitude(b)];
    const worked = minus ? ` = -(${first} + ${second})` : '';
    return `${asked}${worked}: ${addColumns(first, second).join(' ')} so ${sum}`;
  }
  const [less, more] =
    magnitude(a) < magnitude(b) ? [magnitude(a), magnitude(b)] : [magnitude(b), magnitude(a)];
  const straight = a >= 0n && !minus;
  const worked = straight ? '' : minus ? ` = -(${more} - ${less})` : ` = ${more} - ${less}`;
  return `${asked}${worked}: ${subtractColumns(more, less)} so ${sum}`;
}

/** The line that works out `a * b`; digit by digit where one of them has a single digit, at once where neither has. */
export function productLine(a: bigint, b: bigint): string {
  const [less, more] =
    magnitude(a) < magnitude(b) ? [magnitude(a), magnitude(b)] : [magnitude(b), magnitude(a)];
  const columns = less < 10n && more >= 10n ? `: ${multiplyColumns(more, Number(less))} so` : ' =';
  return `${a} * ${b}${columns} ${a * b}`;
}
