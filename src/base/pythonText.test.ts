import { expect, it } from 'vitest';
import { asciiDigits, compareStrings } from './pythonText.ts';

it('orders strings by code points', () => {
  expect(compareStrings('\uffff', '\u{1f600}')).toBe(-1);
  expect(compareStrings('\u{1f601}', '\u{1f600}')).toBe(1);
  expect(compareStrings('ab', 'a')).toBe(1);
  expect(compareStrings('Z', 'a')).toBe(-1);
  expect(compareStrings('é', 'é')).toBe(0);
  expect(compareStrings('\ud83d\ue000', '\u{1f600}')).toBe(-1);
});

it('reads the digits of every script', () => {
  expect(asciiDigits('\uff11\u0665a²\u{1d7d9}')).toBe('15a²1');
});
