import { expect, test } from 'vitest';
import { Options } from './options.ts';
import { preTokenizerOf } from './preTokenizers.ts';
import { createTextCodec } from '../tokenizer.ts';

/** Bytes as byte-level BPE writes them, and pairs that a wrong cut would part or join. */
const VOCABULARY = [
  'Ġ',
  'Ġ'.repeat(2),
  'Â',
  'ħ',
  '!',
  'Âħ',
  '!Â',
  'â',
  'ĳ',
  'ł',
  '1',
  'ï',
  '»',
  '¿',
  'Ġï',
  '²',
  'Â²',
  '11',
];
const MERGES = ['Ġ Ġ', '! Â', 'Â ħ', 'Ġ ï', 'Â ²', '1 1'];

function codec(individual: boolean) {
  return createTextCodec({
    tokenizerConfig: {},
    tokenizerJson: {
      version: '1.0',
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Digits', individual_digits: individual },
          { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
        ],
      },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        vocab: Object.fromEntries(VOCABULARY.map((token, id) => [token, id])),
        merges: MERGES,
      },
    },
  });
}

// Right-hand sides by tokenizers 0.23.2 from the same JSON.
test.each<[string, number[], number[]]>([
  ['  ①', [1, 7, 8, 9], [1, 7, 8, 9]],
  ['  11', [1, 10, 10], [1, 17]],
  ['  ²1', [1, 16, 10], [1, 16, 10]],
  ['!\x85', [4, 5], [4, 5]],
  ['! \x85', [4, 0, 5], [4, 0, 5]],
  [' \ufeff', [14, 12, 13], [14, 12, 13]],
])('cuts %j as the library does, digits one by one and together', (text, apart, together) => {
  expect(codec(true).encode(text)).toEqual(apart);
  expect(codec(false).encode(text)).toEqual(together);
});

/** The parts of a text. */
const parts = (options: object, text: string): string[] =>
  preTokenizerOf(new Options(options, 'pre_tokenizer'))([{ text, isFirst: true }]).map((part) => part.text);

const split = (pattern: object, behavior: string, invert = false): object => ({
  type: 'Split',
  pattern,
  behavior,
  invert,
});

// The parts are those of tokenizers 0.23.2.
test.each<[string, string[], string[]]>([
  ['Removed', ['a', 'b'], ['1', '2', '3']],
  ['Isolated', ['a', '1', '2', 'b', '3'], ['a', '1', '2', 'b', '3']],
  ['MergedWithPrevious', ['a1', '2', 'b3'], ['a', '1', '2b', '3']],
  ['MergedWithNext', ['a', '1', '2b', '3'], ['a1', '2', 'b3']],
  ['Contiguous', ['a', '12', 'b', '3'], ['a', '12', 'b', '3']],
])('Split parts at digits, and at all else: %s', (behavior, atDigits, atOthers) => {
  expect(parts(split({ Regex: '\\d' }, behavior), 'a12b3')).toEqual(atDigits);
  expect(parts(split({ Regex: '\\d' }, behavior, true), 'a12b3')).toEqual(atOthers);
});

test.each<[string, string[]]>([
  ['Removed', ['a', 'b', 'c']],
  ['Isolated', ['a', '-', '-', 'b', '!', 'c', '$']],
  ['MergedWithPrevious', ['a-', '-', 'b!', 'c$']],
  ['MergedWithNext', ['a', '-', '-b', '!c', '$']],
  ['Contiguous', ['a', '--', 'b', '!', 'c', '$']],
])('Punctuation: %s', (behavior, found) => {
  expect(parts({ type: 'Punctuation', behavior }, 'a--b!c$')).toEqual(found);
});

const metaspace = { type: 'Metaspace', replacement: '▁' };
const inOrder = (...pretokenizers: object[]): object => ({ type: 'Sequence', pretokenizers });
test.each<[object, string, string[]]>([
  [
    { type: 'Whitespace' },
    'naïve_é1² \u200ca\u200db…x\x85y',
    ['naïve_é1', '²', '\u200ca\u200db', '…', 'x', 'y'],
  ],
  [{ type: 'WhitespaceSplit' }, 'a\u3000b\ufeffc', ['a', 'b\ufeffc']],
  [{ type: 'BertPreTokenizer' }, "don't «a» $5", ['don', "'", 't', '«', 'a', '»', '$', '5']],
  [{ type: 'CharDelimiterSplit', delimiter: '-' }, '-a--b', ['a', 'b']],
  [{ type: 'Digits', individual_digits: false }, 'a①2Ⅷb', ['a', '①2Ⅷ', 'b']],
  [{ type: 'Punctuation', behavior: 'Removed' }, 'a\u2e43b\u1b7dc\u166dd', ['a\u2e43b\u1b7dc', 'd']],
  [{ type: 'UnicodeScripts' }, 'abпかカ漢ー 1🤣\u0301é', ['ab', 'п', 'かカ漢ー ', '1🤣', '\u0301', 'é']],
  [{ type: 'FixedLength', length: 2 }, 'a😀b😀c', ['a😀', 'b😀', 'c']],
  [{ ...metaspace, prepend_scheme: 'always', split: true }, 'a  b', ['▁a', '▁', '▁b']],
  [{ ...metaspace, prepend_scheme: 'never' }, ' a b', ['▁a', '▁b']],
  [{ ...metaspace, prepend_scheme: 'first', split: false }, ' a b', ['▁a▁b']],
  [
    inOrder(split({ String: 'a' }, 'Removed'), { ...metaspace, prepend_scheme: 'first', split: true }),
    'ab c',
    ['b', '▁c'],
  ],
  [
    inOrder(split({ String: ' ' }, 'Isolated'), {
      type: 'ByteLevel',
      add_prefix_space: true,
      use_regex: false,
    }),
    'é b',
    ['ĠÃ©', 'Ġ', 'Ġb'],
  ],
])('%j parts %j as the library does', (options, text, found) => {
  expect(parts(options, text)).toEqual(found);
});

test('what is not built is refused by its name', () => {
  expect(() => parts({ type: 'Scripts' }, '')).toThrow(/^pre_tokenizer\.type is "Scripts"; /);
  expect(() => parts(inOrder(split({ String: ' ' }, 'removed')), '')).toThrow(
    /^pre_tokenizer\.pretokenizers\[0\]\.behavior is "removed"; Removed, Isolated, /,
  );
  expect(() => parts(split({ Regex: '(a)\\1' }, 'Removed'), '')).toThrow(
    /^pre_tokenizer\.pattern is {"Regex":.*; \\1 at character 4 of it is not built\. Use /,
  );
});
