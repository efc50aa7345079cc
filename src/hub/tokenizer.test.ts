import { describe, expect, it } from 'vitest';
import { tinyTokenizerConfig, tinyTokenizerJson } from '../testing/modelFolder.ts';
import { ModelFileError } from './errors.ts';
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

  it('falls back to role and colon behind the start token when there is no template', () => {
    const spelled = new Map<string, number>();
    for (const char of 'System: Aatn\nUer:12') if (!spelled.has(char)) spelled.set(char, spelled.size + 3);
    const json = {
      ...tinyTokenizerJson,
      added_tokens: tinyTokenizerJson.added_tokens.slice(0, 3),
      post_processor: {
        type: 'TemplateProcessing',
        single: [{ SpecialToken: { id: '<bos>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
        pair: [],
        special_tokens: { '<bos>': { id: '<bos>', ids: [0], tokens: ['<bos>'] } },
      },
      model: {
        ...tinyTokenizerJson.model,
        vocab: { '<bos>': 0, '<eos>': 1, '<unk>': 2, ...Object.fromEntries(spelled) },
      },
    };
    const plain = createTokenizer({ tokenizerJson: json, tokenizerConfig: withoutTemplate });
    const expected = 'System: 1\n\nUser: 2\n\nAssistant:';
    expect(
      plain.promptIds([
        { role: 'system', content: '1' },
        { role: 'user', content: '2' },
      ]),
    ).toEqual([0, ...[...expected].map((char) => spelled.get(char) ?? 2)]);
    expect(plain.encode('12')).toEqual(['1', '2'].map((char) => spelled.get(char)));
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
