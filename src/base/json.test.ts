import { expect, it } from 'vitest';
import { exactJson } from './json.ts';

it.each<[string, unknown]>([
  ['{"a": 9007199254740993, "b": -9007199254740993}', { a: '9007199254740993', b: '-9007199254740993' }],
  ['[3.10, 1.0, 1e3, -0, 0.0000001]', ['3.10', '1.0', '1e3', '-0', '0.0000001']],
  ['[3.1, 0, -7, 1234567890123456, 0.1]', [3.1, 0, -7, 1234567890123456, 0.1]],
  [
    '{"3.10": "3.10", "say \\"1.0\\"": ["1.0", true, null]}',
    { '3.10': '3.10', 'say "1.0"': ['1.0', true, null] },
  ],
  ['{"a": NaN, "b": "NaN", "c": 2.50}', { a: null, b: 'NaN', c: '2.50' }],
  ['{"__proto__": 1.0}', JSON.parse('{"__proto__": "1.0"}')],
])('%s keeps the text of its numbers', (text, value) => {
  expect(exactJson(text)).toEqual({ value });
});

it('reads texts of millions of escapes', () => {
  const text = '\\n'.repeat(10_000_000);
  expect(exactJson(`[1.0, "${text}\\"2.0"]`)).toEqual({ value: ['1.0', `${'\n'.repeat(10_000_000)}"2.0`] });
});

it.each(['{"a": 01}', '{"a": 1.}', "{'a': 1.0}", '{"a": xNaN}', '{"a": Infinity}', '{"a": 1.0'])(
  '%s is no JSON',
  (text) => {
    expect(exactJson(text)).toHaveProperty('error');
  },
);
