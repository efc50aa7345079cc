import { expect, test } from 'vitest';
import { normalizerOf } from './normalizers.ts';
import CHARS_MAP from '../../testing/charsMap.json' with { type: 'json' };
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

test('a table of SentencePiece replaces clusters, and characters within others', () => {
  const table = { type: 'Precompiled', precompiled_charsmap: CHARS_MAP.base64 };
  const changed = ['ABA', 'e\u0301 é', 'Ａb', 'A\u0301', 'ee\u0301\u0301'].map((text) =>
    normalized(table, text),
  );
  expect(changed).toEqual(['aa', '\xe9_\xe9', 'ABb', 'a', 'e\xe9']);
});

test('what is not built is refused by its name', () => {
  expect(() => normalized({ type: 'Replaced' }, '')).toThrow(/^normalizer\.type is "Replaced"; /);
  expect(() => normalized({ type: 'Precompiled', precompiled_charsmap: 'AA' }, '')).toThrow(
    /^normalizer\.precompiled_charsmap is "AA"; a table in base64 is needed\./,
  );
  expect(() => normalized(replace({ Regex: 'a*' }, 'x'), '')).toThrow(
    /^normalizer\.pattern is {"Regex":"a\*"}; one that can match an empty text is not built\./,
  );
  const twice = replace({ String: 'a' }, 'aa');
  const doubled = { type: 'Sequence', normalizers: Array.from({ length: 40 }, () => twice) };
  expect(() => normalized(doubled, 'a')).toThrow(/^a sequence of steps makes more than 10100 characters$/);
});
