import { describe, expect, it } from 'vitest';
import { valueOfJson } from './json.ts';
import { readPythonLiteral } from './literal.ts';
import { compareValues, joinText, PythonError } from './value.ts';

const list = (...items: readonly unknown[]) => ({ kind: 'list', items });
const tuple = (...items: readonly unknown[]) => ({ kind: 'tuple', items });

/** Right-hand sides are what CPython 3.11 prints for `ast.literal_eval`. */
describe('literals', () => {
  it.each([
    [String.raw`['a', "b\n", r'\n', '''x'y''']`, list('a', 'b\n', '\\n', "x'y")],
    ["'A' \"B\"\\\n'C'", 'ABC'],
    [String.raw`'\x41\101\u0041\U00000041\q'`, 'AAAA\\q'],
    [' \t[1_000, 0x1F, -5, + 2, .5, 1e3, 00]', list(1000n, 31n, -5n, 2n, 0.5, 1000, 0n)],
    ['[1, # one\n 2,\r\n]', list(1n, 2n)],
    ['1, 2', tuple(1n, 2n)],
    ['(1,)', tuple(1n)],
    ['(1)', 1n],
    ['()', tuple()],
    ['\n# nothing\n[True, None]\n\n', list(true, null)],
    ["b'A'", { kind: 'bytes', items: [65n] }],
    [
      "{'a': 1, 'b': 2, 'a': 3}",
      {
        kind: 'dict',
        entries: [
          ['a', 3n],
          ['b', 2n],
        ],
      },
    ],
    ['{1, True, 1.0}', { kind: 'set', items: [1n] }],
    ['set()', { kind: 'set', items: [] }],
  ])('reads %j', (text, value) => {
    expect(readPythonLiteral(text)).toEqual(value);
  });

  it.each([
    '',
    ' ',
    '[',
    '[1',
    '[1,,2]',
    '(,)',
    '1 2',
    '01',
    '1__0',
    '1a',
    '--1',
    '-True',
    "'a",
    "'a\n'",
    'nan',
    'true',
    'null',
    "'a' b'b'",
    "b'é'",
    '\n 1',
    '1\n2',
    '[1] x',
    'f()',
    "'a'.b",
    '{1: 2, 3}',
    '{[]: 1}',
    '\\x41',
    "'\\x4'",
    '9'.repeat(5000),
    '['.repeat(201) + ']'.repeat(201),
    "'a\0'",
    '__import__("os")',
    '[x for x in "ab"]',
    "'a' * 3",
  ])('refuses %j', (text) => {
    expect(() => readPythonLiteral(text)).toThrow(PythonError);
  });

  it('takes as much nesting as Python does', () => {
    expect(() => readPythonLiteral('['.repeat(200) + ']'.repeat(200))).not.toThrow();
  });
});

/** Right-hand sides are what CPython 3.11 prints for `json.loads`. */
describe('JSON', () => {
  it.each([
    [' [1, -2.5, 1e2, "a\\u0042\\/"]\n', list(1n, -2.5, 100, 'aB/')],
    ['[NaN, Infinity, -Infinity, 1e999]', list(NaN, Infinity, -Infinity, Infinity)],
    [
      '{"a": 1, "b": true, "a": null}',
      {
        kind: 'dict',
        entries: [
          ['a', null],
          ['b', true],
        ],
      },
    ],
    ['12345678901234567890', 12345678901234567890n],
    ['"\u007f\u2028"', '\u007f\u2028'],
    ['[[], {}]', list(list(), { kind: 'dict', entries: [] })],
  ])('reads %j', (text, value) => {
    expect(valueOfJson(text)).toEqual(value);
  });

  it.each([
    '',
    '[1,]',
    "['a']",
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    'nan',
    'True',
    '{1: 2}',
    '{"a"}',
    '"\t"',
    '"\\x41"',
    '"\\u00g0"',
    '[1] 2',
    '\ufeff[]',
    '[\u00a01]',
    '[1 2]',
    '"a',
    '9'.repeat(4301),
    '['.repeat(100_000),
  ])('refuses %j', (text) => {
    expect(() => valueOfJson(text)).toThrow(PythonError);
  });
});

describe('values', () => {
  it('orders what Python orders, and raises for the rest', () => {
    expect(compareValues(valueOfJson('[1, 2]'), valueOfJson('[1, 1.5]'))).toBe(1);
    expect(compareValues(valueOfJson('[null, 1]'), valueOfJson('[null, 2]'))).toBe(-1);
    expect(compareValues(true, 0.5)).toBe(1);
    expect(() => compareValues(null, null)).toThrow(PythonError);
    expect(() => compareValues('a', 1n)).toThrow(PythonError);
    expect(() => compareValues(valueOfJson('{}'), valueOfJson('{}'))).toThrow(PythonError);
  });

  it('joins strings only', () => {
    expect(joinText(readPythonLiteral("('A', 'BC')"))).toBe('ABC');
    expect(joinText(readPythonLiteral("{'A': 1}"))).toBe('A');
    expect(() => joinText(readPythonLiteral('[1]'))).toThrow(PythonError);
    expect(() => joinText(readPythonLiteral('12'))).toThrow(PythonError);
  });
});
