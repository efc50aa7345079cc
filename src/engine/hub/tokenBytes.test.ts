import { describe, expect, test } from 'vitest';
import { tinyTokenizerConfig, tinyTokenizerJson } from '../testing/modelFolder.ts';
import {
  BYTE_LEVEL_TOKENS,
  byteLevelTokenizer,
  SENTENCE_PIECE_TOKENS,
  sentencePieceTokenizer,
} from '../testing/smallTokenizers.ts';
import { bytesOfToken, textOfTokens, tokenBytesOf } from './tokenBytes.ts';
import { Options } from './tokens/options.ts';
import { createTokenizer, type TokenizerFiles } from './tokenizer.ts';

const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

function bytesIn(files: TokenizerFiles, tokens: readonly string[]): (token: string) => number[] {
  const table = createTokenizer(files).tokenBytes();
  return (token) => [...bytesOfToken(table, tokens.indexOf(token))];
}

/** Metaspace as its own decoder, which drops the first space of a text. */
const metaspace = (): TokenizerFiles => {
  const files = sentencePieceTokenizer();
  const decoder = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: false };
  return { ...files, tokenizerJson: { ...files.tokenizerJson, decoder } };
};

const fuse = (): TokenizerFiles => ({
  tokenizerJson: tinyTokenizerJson,
  tokenizerConfig: tinyTokenizerConfig,
});

describe('bytes of tokens', () => {
  test('byte-level BPE: a character may span tokens, special tokens have none, added ones are as written', () => {
    const bytes = bytesIn(byteLevelTokenizer(), BYTE_LEVEL_TOKENS);
    expect(bytes('Ġ')).toEqual([0x20]);
    expect(bytes('ĊĊ')).toEqual([0x0a, 0x0a]);
    expect(bytes('User')).toEqual(ascii('User'));
    expect(bytes('Ã')).toEqual([0xc3]);
    expect(bytes('©')).toEqual([0xa9]);
    expect(bytes('ãĢ')).toEqual([0xe3, 0x80]);
    expect(bytes('Ĥ')).toEqual([0x82]);
    expect(bytes('<|im_end|>')).toEqual([]);
    expect(bytes('<think>')).toEqual(ascii('<think>'));
  });

  test('SentencePiece: the mark is a space, a byte token its byte', () => {
    for (const files of [sentencePieceTokenizer(), metaspace()]) {
      expect(bytesIn(files, SENTENCE_PIECE_TOKENS)('▁User')).toEqual(ascii(' User'));
    }
    const bytes = bytesIn(sentencePieceTokenizer(), SENTENCE_PIECE_TOKENS);
    expect(bytes('<0x0A>')).toEqual([0x0a]);
    expect(bytes('<0xE3>')).toEqual([0xe3]);
    expect(bytes('</s>')).toEqual([]);
  });

  test('Fuse: tokens are their texts; ids beyond the vocabulary have none', () => {
    const table = createTokenizer(fuse()).tokenBytes();
    expect([...bytesOfToken(table, 16)]).toEqual(ascii('[ANSWER] '));
    expect([...bytesOfToken(table, 15)]).toEqual([0x0a]);
    expect([...bytesOfToken(table, 0)]).toEqual([]);
    for (const id of [17, 18, 500]) expect([...bytesOfToken(table, id)]).toEqual([]);
  });

  test.each([
    ['byte-level', byteLevelTokenizer(), BYTE_LEVEL_TOKENS.length],
    ['SentencePiece', sentencePieceTokenizer(), SENTENCE_PIECE_TOKENS.length],
    ['Fuse', fuse(), 17],
    ['no decoder', { ...fuse(), tokenizerJson: { ...tinyTokenizerJson, decoder: null } }, 17],
  ] as const)('%s: joined, they are what the library decodes', (kind, files, size) => {
    const tokenizer = createTokenizer(files);
    const table = tokenizer.tokenBytes();
    // These drop or leave out a space before the first token, and only there.
    const dropsSpace = kind === 'SentencePiece' || kind === 'no decoder';
    for (let round = 0; round < 300; round++) {
      const ids = Array.from({ length: 1 + Math.floor(8 * Math.random()) }, () =>
        Math.floor(size * Math.random()),
      );
      const text = textOfTokens(table, ids);
      // Where bytes are no UTF-8, SentencePiece's decoder also gives up valid ones beside them.
      if (kind === 'SentencePiece' && text.includes('\ufffd')) continue;
      expect([ids, dropsSpace ? text.replace(/^ /, '') : text]).toEqual([ids, tokenizer.decode(ids)]);
    }
  });

  test('a decoder without bytes for single tokens is refused by name', () => {
    const decoder = new Options({ type: 'CTC' }, 'decoder');
    const tokens = new Map([[0, 'a']]);
    expect(() => tokenBytesOf({ tokens, decoder, isSpecial: () => false })).toThrow(/type CTC/);
  });
});
