import { expect, test } from 'vitest';
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
