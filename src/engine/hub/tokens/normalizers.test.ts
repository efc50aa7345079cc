import { expect, test } from 'vitest';
import { normalizerOf } from './normalizers.ts';
import { Options } from './options.ts';

const normalized = (options: object, text: string): string =>
  normalizerOf(new Options(options, 'normalizer'))(text);

const replace = (pattern: object, content: string): object => ({ type: 'Replace', pattern, content });
const strip = (left: boolean, right: boolean): object => ({
  type: 'Strip',
  strip_left: left,
  strip_right: right,
});
const bert = (options: object): object => ({
  type: 'BertNormalizer',
  clean_text: true,
  handle_chinese_chars: true,
  strip_accents: null,
  lowercase: true,
  ...options,
});

// The texts are those of tokenizers 0.23.2.
test.each<[object, string, string]>([
  [strip(true, true), '\x85 \ufeffé \u3000', '\ufeffé'],
  [strip(true, false), ' a ', 'a '],
  [{ type: 'Lowercase' }, 'ΣΑΣ İ', 'σασ i\u0307'],
  [replace({ Regex: '(a)(b)' }, '$2$1'), 'xab$&', 'x$2$1$&'],
  [replace({ String: 'a.' }, '$&'), 'a.ab', '$&ab'],
  [{ type: 'Prepend', prepend: '▁' }, '', ''],
  [{ type: 'Prepend', prepend: '▁' }, 'a', '▁a'],
  [{ type: 'StripAccents' }, 'e\u0301क\u093e', 'eक'],
  [{ type: 'Nmt' }, 'a\x01\u200bb\xad', 'a b\xad'],
  [bert({}), 'Ünï\t日\0ß', 'uni  日 ß'],
  [bert({ clean_text: false, handle_chinese_chars: false, lowercase: false }), 'Ünï', 'Ünï'],
  [{ type: 'ByteLevel' }, 'é b', 'Ã©Ġb'],
  [{ type: 'Sequence', normalizers: [{ type: 'NFD' }, { type: 'StripAccents' }] }, 'é', 'e'],
])('%j changes %j as the library does', (options, text, found) => {
  expect(normalized(options, text)).toBe(found);
});

test('what is not built is refused by its name', () => {
  expect(() => normalized({ type: 'Precompiled' }, '')).toThrow(/^normalizer\.type is "Precompiled"; /);
  expect(() => normalized(replace({ Regex: 'a*' }, 'x'), '')).toThrow(
    /^normalizer\.pattern is {"Regex":"a\*"}; one that can match an empty text is not built\./,
  );
  const twice = replace({ String: 'a' }, 'aa');
  const doubled = { type: 'Sequence', normalizers: Array.from({ length: 40 }, () => twice) };
  expect(() => normalized(doubled, 'a')).toThrow(/^a sequence of steps makes more than 10100 characters$/);
});
