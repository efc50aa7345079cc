import { expect, it } from 'vitest';
import { decoderOf } from './decoders.ts';
import { Options } from './options.ts';

const MARK = '\u2581';

/** Decodes tokens with a decoder of these options. */
const decoded = (options: object, tokens: readonly string[]): string =>
  decoderOf(new Options(options, 'decoder'))(tokens).join('');

const inOrder = (...decoders: readonly object[]): object => ({ type: 'Sequence', decoders });
const replace = (pattern: object, content: string): object => ({ type: 'Replace', pattern, content });

it('reads a run of byte tokens as UTF-8 or not at all', () => {
  const bytes = inOrder(replace({ String: MARK }, ' '), { type: 'ByteFallback' });
  expect(decoded(bytes, ['a', '<0xC3>', '<0xA9>', `b${MARK}`])).toBe('aéb ');
  expect(decoded(bytes, ['<0x0A>', '<0xC3>', '<0x41>', 'b', '<0x0A>'])).toBe('\ufffd\ufffd\ufffdb\n');
  expect(decoded(bytes, ['<0xEF>', '<0xBB>', '<0xBF>', 'a'])).toBe('\ufeffa');
  expect(decoded(bytes, ['<0xZZ>', '<0x1>'])).toBe('<0xZZ><0x1>');
});

it('drops every mark of the first token where one was put before the text', () => {
  const metaspace = { type: 'Metaspace', replacement: MARK };
  const tokens = [`${MARK}${MARK}a`, `b${MARK}c`];
  expect(decoded({ ...metaspace, prepend_scheme: 'always' }, tokens)).toBe('ab c');
  expect(decoded({ ...metaspace, prepend_scheme: 'never' }, tokens)).toBe('  ab c');
});

// The texts are those of tokenizers 0.23.2 for the same decoders.
it.each<[object, string[], string]>([
  [{ type: 'ByteLevel' }, ['é', 'Ã', '©', 'aĠb', 'a b'], '\ufffdéa ba b'],
  [{ type: 'WordPiece', prefix: '##', cleanup: true }, ['do', '##n', "'", 't', '##.', '.'], "don ' t.."],
  [{ type: 'WordPiece', prefix: '##', cleanup: false }, ['##a', 'b', '##b', '.'], '##a bb .'],
  [{ type: 'BPEDecoder', suffix: '</w>' }, ['a</w>', 'b', 'c</w>'], 'a bc'],
  [
    { type: 'CTC', pad_token: '<p>', word_delimiter_token: '|', cleanup: true },
    ['a', 'a', '<p>', 'a', '|', 'b'],
    'aa b',
  ],
  [{ type: 'Strip', content: '😀', start: 1, stop: 1 }, ['😀😀a😀', 'b'], '😀ab'],
  [replace({ Regex: '(a)(b)' }, '$2$1'), ['ab', 'b'], '$2$1b'],
  [inOrder({ type: 'Fuse' }, replace({ String: 'ab' }, '$&')), ['a', 'b'], '$&'],
])('decodes as the library does: %j', (options, tokens, text) => {
  expect(decoded(options, tokens)).toBe(text);
});

it('names a decoder or an option that is not built', () => {
  expect(() => decoded({ type: 'Whitespace' }, [])).toThrow(/^decoder\.type is "Whitespace"; BPEDecoder, /);
  expect(() => decoded(inOrder({ type: 'Strip', content: 'ab' }), [])).toThrow(
    'decoder.decoders[0].content is "ab"; a single character is needed.',
  );
});
