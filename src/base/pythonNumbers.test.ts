import { describe, expect, it } from 'vitest';
import { pythonFloat, pythonFraction, pythonInt, pythonIntLiteral } from './pythonNumbers.ts';

/** Every right side here is what CPython 3.11 answers; null stands for ValueError (and ZeroDivisionError). */
describe('numbers as Python reads them', () => {
  it.each([
    ['12', 12n],
    [' \t-007\n', -7n],
    ['+1_000', 1000n],
    ['1__0', null],
    ['_1', null],
    ['1_', null],
    ['- 1', null],
    ['\u00a0\uff15\u2003', 5n],
    ['٣_٤', 34n],
    ['\x1c5', null],
    ['\ufeff5', null],
    ['¹', null],
    ['0x10', null],
    ['1.0', null],
    ['', null],
    [`${'0'.repeat(4300)}1`, null],
    ['9'.repeat(4300), 10n ** 4300n - 1n],
  ])('reads int(%j)', (text, value) => expect(pythonInt(text)).toBe(value));

  it.each([
    ['0x_1F', 31n],
    ['-0B101', -5n],
    ['0o17', 15n],
    ['0_0', 0n],
    ['017', null],
    ['0x', null],
    ['0x__1', null],
    ['0b2', null],
    ['6228', 6228n],
    [`0x${'f'.repeat(5000)}`, 16n ** 5000n - 1n],
  ])('reads int(%j, 0)', (text, value) => expect(pythonIntLiteral(text)).toBe(value));

  it.each([
    ['1_0.5_0e1_0', 10.5e10],
    ['.5', 0.5],
    ['5.', 5],
    ['.', null],
    ['1_.5', null],
    ['1._5', null],
    ['1e', null],
    ['-Infinity', -Infinity],
    ['+nan', NaN],
    ['infin', null],
    ['1e400', Infinity],
    ['１e５', 1e5],
    ['0x10', null],
    [' \x1f5', null],
  ])('reads float(%j)', (text, value) => expect(pythonFloat(text)).toBe(value));

  it.each([
    ['\x1c3/4\n', [3n, 4n]],
    ['-1_0/2_0', [-10n, 20n]],
    ['0.25e1', [250n, 100n]],
    ['.5', [5n, 10n]],
    ['2.', [2n, 1n]],
    ['3e-2', [3n, 100n]],
    ['3 / 4', null],
    ['3/-4', null],
    ['3/0', null],
    ['1/2e3', null],
    ['nan', null],
    [`1/${'1'.repeat(4301)}`, null],
  ])('reads Fraction(%j)', (text, value) => {
    const ratio = pythonFraction(text);
    expect(ratio && [ratio.numerator, ratio.denominator]).toEqual(value);
  });
});

describe('hostile text', () => {
  it.each(['1_', '9', '1e', ' ', '\x1c', '٣', '.', '0x1', '/1'])('is read in linear time: %j', (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    const readers = [pythonInt, pythonIntLiteral, pythonFloat, pythonFraction];
    expect(readers.map((read) => read(`${text}?`))).toEqual([null, null, null, null]);
  });
});
