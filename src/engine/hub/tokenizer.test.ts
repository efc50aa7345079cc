import { describe, expect, it } from 'vitest';
import { tinyTokenizerConfig, tinyTokenizerJson } from '../testing/modelFolder.ts';
import { ModelFileError } from './types.ts';
import { createTokenizer } from './tokenizer.ts';

const tokenizerJson = tinyTokenizerJson;
const { chat_template: _template, ...withoutTemplate } = tinyTokenizerConfig;

describe('createTokenizer', () => {
  const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig: tinyTokenizerConfig });

  it('encodes without special tokens and decodes without spaces or tidying', () => {
    expect(tokenizer.vocabSize).toBe(17);
    expect(tokenizer.encode('40=[ANSWER] 7')).toEqual([7, 3, 14, 16, 10]);
    expect(tokenizer.decode([0, 7, 3, 14, 16, 10, 1])).toBe('40=[ANSWER] 7');
  });

  it('pads with the end-of-sequence token where no other is named', () => {
    expect(tokenizer.eosTokenId).toBe(1);
    expect(tokenizer.padTokenId).toBe(1);
  });

  it('leaves out ids that no token has, as padded embeddings produce', () => {
    expect(tokenizer.decode([4, 17, 500, 5])).toBe('12');
    expect(tokenizer.decode([19])).toBe('');
  });

  it('says that there is no template where there is none', () => {
    const plain = createTokenizer({ tokenizerJson, tokenizerConfig: withoutTemplate });
    expect([tokenizer.hasChatTemplate, plain.hasChatTemplate]).toEqual([true, false]);
    expect(() => plain.promptIds([{ role: 'user', content: '1' }])).toThrow(ModelFileError);
    expect(plain.turnEnd()).toEqual([]);
    expect(tokenizer.turnEnd()).toEqual([15]);
    expect(tokenizer.bosTokenId).toBe(0);
  });

  it('takes the end token it is given, and refuses to be without one', () => {
    const { eos_token: _eos, ...tokenizerConfig } = withoutTemplate;
    expect(createTokenizer({ tokenizerJson, tokenizerConfig, eosTokenId: 15 }).eosTokenId).toBe(15);
    expect(() => createTokenizer({ tokenizerJson, tokenizerConfig })).toThrow(/end-of-sequence/);
  });

  it('says when a template fails', () => {
    const broken = createTokenizer({
      tokenizerJson,
      tokenizerConfig: tinyTokenizerConfig,
      chatTemplate: "{{ raise_exception('no system role') }}",
    });
    const render = () => broken.promptIds([{ role: 'user', content: '1' }]);
    expect(render).toThrow(ModelFileError);
    expect(render).toThrow(/no system role/);
  });
});
