import { MetaspaceDecoder, SequenceDecoder } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { corrected } from './tokenDecoder.ts';

const MARK = '\u2581';

describe('corrected decoders', () => {
  const bytes = corrected(
    new SequenceDecoder({
      type: 'Sequence',
      decoders: [{ type: 'Replace', pattern: { String: MARK }, content: ' ' }, { type: 'ByteFallback' }],
    }),
  );

  it('read a run of byte tokens as UTF-8 or not at all', () => {
    expect(bytes.decode(['a', '<0xC3>', '<0xA9>', `b${MARK}`])).toBe('aéb ');
    expect(bytes.decode(['<0x0A>', '<0xC3>', '<0x41>', 'b', '<0x0A>'])).toBe('\ufffd\ufffd\ufffdb\n');
    expect(bytes.decode(['<0xEF>', '<0xBB>', '<0xBF>', 'a'])).toBe('\ufeffa');
    expect(bytes.decode(['<0xZZ>', '<0x1>'])).toBe('<0xZZ><0x1>');
  });

  it('drop every mark of the first token where one was put before the text', () => {
    const metaspace = (prepend_scheme: 'always' | 'never') =>
      corrected(
        new MetaspaceDecoder({
          type: 'Metaspace',
          replacement: MARK,
          prepend_scheme,
        }),
      );
    const tokens = [`${MARK}${MARK}a`, `b${MARK}c`];
    expect(metaspace('always').decode(tokens)).toBe('ab c');
    expect(metaspace('never').decode(tokens)).toBe('  ab c');
  });
});
