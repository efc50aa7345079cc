import { expect, test } from 'vitest';
import { finderOf } from './cuts.ts';
import { expressionOf } from './expression.ts';
import { PatternReader } from './oniguruma.ts';

const TEXT = "aab aB\nc²ßKſ's $.é😀A1 abab";

/** The stretches of a text, without empty ones. */
function stretches(pattern: string, text = TEXT): string[] {
  const find = finderOf(expressionOf(new PatternReader(pattern).read()));
  return find(text)
    .map(({ from, to }) => text.slice(from, to))
    .filter((stretch) => stretch !== '');
}

// The stretches are those of tokenizers 0.23.2, which uses Oniguruma.
test.each<[string, string[]]>([
  ['a++b|a', ['aab', ' ', 'a', "B\nc²ßKſ's $.é😀A1 ", 'ab', 'ab']],
  ['(?>a+)ab|b', ['aa', 'b', " aB\nc²ßKſ's $.é😀A1 a", 'b', 'a', 'b']],
  ["(?i:'s|k)", ['aab aB\nc²ß', 'K', 'ſ', "'s", ' $.é😀A1 abab']],
  ['\\w+', ['aab', ' ', 'aB', '\n', 'c²ßKſ', "'", 's', ' $.', 'é', '😀', 'A1', ' ', 'abab']],
  ['[\\w]+', ['aab', ' ', 'aB', '\n', 'c', '²', 'ßKſ', "'", 's', ' $.', 'é', '😀', 'A1', ' ', 'abab']],
  ['[a-z&&[^c]]+', ['aab', ' ', 'a', "B\nc²ßKſ'", 's', ' $.é😀A1 ', 'abab']],
  ['[^(\\s|[.,])]+', ['aab', ' ', 'aB', '\n', "c²ßKſ's", ' ', '$', '.', 'é😀A1', ' ', 'abab']],
  ['\\b', ['aab', ' ', 'aB', '\n', 'c²ßKſ', "'", 's', ' $.', 'é', '😀', 'A1', ' ', 'abab']],
  ['(?<=\\p{L})(?=\\d)', ["aab aB\nc²ßKſ's $.é😀A", '1 abab']],
  ['(?:ab){1,2}+', ['a', 'ab', " aB\nc²ßKſ's $.é😀A1 ", 'abab']],
  ['[[:punct:]]', ['aab aB\nc²ßKſ', "'", 's ', '$', '.', 'é', '😀', 'A1 abab']],
  ['\\p{Punct}', ['aab aB\nc²ßKſ', "'", 's $', '.', 'é😀A1 abab']],
  ['\\h+', ['aab', ' ', 'aB', '\n', 'c', "²ßKſ's $.é😀", 'A1', ' ', 'abab']],
  ['(?m:a.)', ['aa', 'b ', 'aB', "\nc²ßKſ's $.é😀A1 ", 'ab', 'ab']],
  ['(?x: a b # c\n)', ['a', 'ab', " aB\nc²ßKſ's $.é😀A1 ", 'ab', 'ab']],
  ['a(?i)b|c', ['a', 'ab', ' ', 'aB', "\nc²ßKſ's $.é😀A1 ", 'ab', 'ab']],
  ['\\x41|\\u00e9|\\x{1F600}', ["aab aB\nc²ßKſ's $.", 'é', '😀', 'A', '1 abab']],
])('%s finds what Oniguruma finds', (pattern, found) => {
  expect(stretches(pattern)).toEqual(found);
});

test('the ends of lines are places, and an empty match is never within a character', () => {
  expect(stretches('^.|.$', 'ab\ncd')).toEqual(['a', 'b', '\n', 'c', 'd']);
  expect(stretches('\\B', '²😀_')).toEqual(['²😀_']);
  expect(stretches('\\B', 'a😀😀')).toEqual(['a😀', '😀']);
});

test.each([
  ['a(b', /a group without its end/],
  ['(a)\\1', /\\1 at character 4/],
  ['\\X', /\\X/],
  ['a{2}?', /\{2\}\?/],
  ['(?:a*)*', /a repeated part that can match an empty text/],
  ['(?i:ss)', /ss in any case/],
  ['(?i:[ßa])', /ß in any case/],
  ['\\p{Nonsense}', /\\p{Nonsense}/],
  ['[a', /a class without its end/],
  ['*', /a quantifier of nothing/],
  ['a)', /\)/],
])('%s is refused', (pattern, reason) => {
  expect(() => stretches(pattern)).toThrow(reason);
});
