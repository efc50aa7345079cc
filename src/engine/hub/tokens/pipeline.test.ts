import { describe, expect, test } from 'vitest';
import { Pipeline } from './pipeline.ts';

/** A vocabulary with the ids of the tokens' places. */
const ids = (...tokens: readonly string[]): Record<string, number> =>
  Object.fromEntries(tokens.map((token, id) => [token, id]));

const bpe = (vocab: Record<string, number>, options: object): object => ({
  model: { type: 'BPE', unk_token: '<unk>', vocab, merges: [], ...options },
});

const added = (id: number, content: string, options: object = {}): object => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: false,
  ...options,
});

// All ids and texts are those of tokenizers 0.23.2.
describe('added tokens', () => {
  const letters = ids('<unk>', 'a', 'b', 'c', 'd', 'e', ' ', 'é');
  const pipeline = new Pipeline({
    ...bpe(letters, {}),
    decoder: { type: 'Fuse' },
    added_tokens: [
      added(8, '<m>', { lstrip: true }),
      added(9, '[R]', { rstrip: true }),
      added(10, 'ab', { single_word: true }),
      added(11, 'é'),
      added(12, '<m>d'),
      added(99, '<s>', { special: true }),
    ],
  });

  test.each<[string, number[]]>([
    ['a  <m> b', [1, 8, 6, 2]],
    ['a [R]  b', [1, 6, 9, 2]],
    ['ab cab ab. éab', [10, 6, 3, 1, 2, 6, 10, 0, 6, 7, 1, 2]],
    ['<m>da<m>', [11, 1, 8]],
    ['é<s>a', [7, 12, 1]],
  ])('%j', (text, found) => {
    expect(pipeline.encode(text)).toEqual(found);
  });

  test('have the id of the vocabulary, or the next one behind it, whatever the file says', () => {
    expect(['é', '<m>d', '<s>'].map((token) => pipeline.idOf(token))).toEqual([7, 11, 12]);
    expect(pipeline.decode([7, 8, 12, 11, 1], true)).toBe('é<m><m>da');
    expect(pipeline.decode([7, 8, 12, 11, 1, 99], false)).toBe('é<m><s><m>da');
  });

  test('are found and decoded as the normalizer writes them', () => {
    const lower = new Pipeline({
      ...bpe(letters, {}),
      normalizer: { type: 'Lowercase' },
      decoder: { type: 'Fuse' },
      added_tokens: [added(8, 'ABC', { normalized: true }), added(9, 'DE', { normalized: true })],
    });
    expect(lower.encode('ABCabcDEde')).toEqual([8, 8, 9, 9]);
    expect(lower.decode([8, 9], true)).toBe('abcde');
  });
});

describe('models', () => {
  const vocab = ids('<unk>', 'a', 'b', 'c', 'ab', 'bc', 'abc', '<0xC3>', '<0xA9>');
  const merges = ['b c', 'a b', 'a bc'];
  const scores = [
    ['<unk>', 0],
    ['a', -3],
    ['b', -3],
    ['ab', -5],
    ['abb', -8.5],
    ['<0xC3>', -9],
    ['<0xA9>', -9],
    ['ba', -6],
  ];
  const unigram = (options: object = {}): object => ({
    model: { type: 'Unigram', unk_id: 0, vocab: scores, ...options },
  });
  const parted = ids('a', '##b', '##c</w>', 'ab', 'abc</w>', '##b</w>');
  const words = ids('<unk>', 'un', '##aff', '##able', '##a');
  const wordPiece = { type: 'WordPiece', continuing_subword_prefix: '##', max_input_chars_per_word: 8 };

  test.each<[string, object, [string, number[]][]]>([
    [
      'merges in order',
      bpe(vocab, { merges }),
      [
        ['abc', [6]],
        ['aabcb', [1, 6, 2]],
        ['xxa', [0, 0, 1]],
        ['', []],
      ],
    ],
    ['fused unknowns', bpe(vocab, { merges, fuse_unk: true }), [['xxaxx', [0, 1, 0]]]],
    ['bytes', bpe(vocab, { merges, byte_fallback: true }), [['éax', [7, 8, 1, 0]]]],
    ['no unknown', bpe(vocab, { merges, unk_token: null }), [['xaé', [1]]]],
    [
      'merges ignored for whole tokens',
      bpe(vocab, { merges: [['b', 'c']], ignore_merges: true }),
      [
        ['abc', [6]],
        ['abca', [1, 5, 1]],
      ],
    ],
    [
      'prefix and suffix',
      bpe(parted, {
        unk_token: null,
        merges: ['a ##b', 'ab ##c</w>'],
        continuing_subword_prefix: '##',
        end_of_word_suffix: '</w>',
      }),
      [
        ['abc', [4]],
        ['abb', [3, 5]],
      ],
    ],
    [
      'WordPiece',
      { model: { ...wordPiece, unk_token: '<unk>', vocab: words } },
      [
        ['unaffable', [0]],
        ['unaffa', [1, 2, 4]],
        ['unx', [0]],
      ],
    ],
    [
      'WordLevel',
      {
        pre_tokenizer: { type: 'WhitespaceSplit' },
        model: { type: 'WordLevel', unk_token: '<unk>', vocab: words },
      },
      [['un x un', [1, 0, 1]]],
    ],
    [
      'Unigram',
      unigram(),
      [
        ['ab', [3]],
        ['abb', [3, 2]],
        ['aba', [3, 1]],
        ['xxab', [0, 3]],
        ['éa', [0, 1]],
      ],
    ],
    [
      'Unigram with bytes',
      unigram({ byte_fallback: true }),
      [
        ['éa', [5, 6, 1]],
        ['xéa', [0, 1]],
      ],
    ],
  ])('%s', (_name, json, rows) => {
    const pipeline = new Pipeline(json);
    expect(rows.map(([text]) => [text, pipeline.encode(text)])).toEqual(rows);
  });

  test.each<[string, object, RegExp]>([
    ['dropout', bpe(vocab, { dropout: 0.1 }), /^model\.dropout is 0\.1; only 0 is built, /],
    ['a merge', bpe(vocab, { merges: ['a c'] }), /^model\.merges is .*"a c" needs "ac" in the vocabulary/],
    ['a type', { model: { type: 'Tiktoken', vocab } }, /^model\.type is "Tiktoken"; BPE, Unigram, /],
    ['an option', bpe(vocab, { fuse_unk: 1 }), /^model\.fuse_unk is 1; true or false is needed\. Use /],
  ])('%s that is not built is refused by its name', (_name, json, reason) => {
    expect(() => new Pipeline(json)).toThrow(reason);
  });
});

test('truncation and padding change nothing', () => {
  const pipeline = new Pipeline({
    ...bpe(ids('<unk>', 'a'), {}),
    truncation: { max_length: 1, strategy: 'LongestFirst', stride: 0, direction: 'Right' },
    padding: { strategy: { Fixed: 4 }, direction: 'Right', pad_id: 0, pad_type_id: 0, pad_token: '<unk>' },
  });
  expect(pipeline.encode('aaa')).toEqual([1, 1, 1]);
});
