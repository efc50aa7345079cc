/** Tokenizers in the way of SentencePiece, read from a GGUF as llama.cpp reads it, beside the ids that Hugging Face's library gives. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { drawsFor, pick } from '@rl-playground/base/random';
import { expectedModel, expectedText } from '@rl-playground/engine/testing/huggingFaceFolders';
import { describeShared } from '@rl-playground/base/testing/shared';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { loadModel, type LoadedModel } from '@rl-playground/engine/parts';
import type { GgufValue } from './ggufFile.ts';
import { scoresOf } from './sentencePiece.ts';
import { tokenizerValues } from './tokenizerValues.ts';

const seed = Math.floor(Math.random() * 2 ** 32);

/**
 * llama.cpp's tokenizer of the kind `llama` (`llm_tokenizer_spm_session` and `tokenizer_st_partition`): special tokens are cut out, then of
 * all neighbours that are a token together those with the highest score are joined, the leftmost first; what is no token then is its bytes.
 */
function llamaTokenizer(values: ReadonlyMap<string, GgufValue>): (text: string) => number[] {
  const value = <Key extends string>(
    key: string,
    kind: Key,
  ): Extract<GgufValue, Record<Key, unknown>>[Key] => {
    const found = values.get(`tokenizer.ggml.${key}`);
    if (found === undefined || !(kind in found)) throw new Error(`There is no ${key}.`);
    return (found as Extract<GgufValue, Record<Key, unknown>>)[kind];
  };
  const tokens = value('tokens', 'texts');
  const types = value('token_type', 'int32s');
  const scores = value('scores', 'float32s');
  const addsSpace = value('add_space_prefix', 'bool');
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const special = tokens
    .filter((_, id) => [2, 3, 4].includes(types[id] ?? 0))
    .sort((a, b) => b.length - a.length)
    .map((token) => token.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));

  function stretch(text: string): number[] {
    const symbols = [...text.replaceAll(' ', '▁')];
    for (;;) {
      let [best, at] = [Number.NEGATIVE_INFINITY, -1];
      for (let i = 0; i + 1 < symbols.length; i++) {
        const id = ids.get(`${symbols[i]}${symbols[i + 1]}`);
        if (id !== undefined && (scores[id] ?? 0) > best) [best, at] = [scores[id] ?? 0, i];
      }
      if (at < 0) break;
      symbols.splice(at, 2, `${symbols[at]}${symbols[at + 1]}`);
    }
    return symbols.flatMap((symbol) => {
      const bytes = [...new TextEncoder().encode(symbol)].map((byte) =>
        ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
      );
      return (ids.has(symbol) ? [ids.get(symbol)] : bytes).map((id) => id ?? -1);
    });
  }
  return (text) =>
    text.split(new RegExp(`(${special.join('|')})`, 'u')).flatMap((part, i) => {
      if (i % 2 === 1) return [ids.get(part) ?? -1];
      return part === '' ? [] : stretch(addsSpace ? ` ${part}` : part);
    });
}

describeShared(`tokenizers as of SentencePiece (seed ${seed})`, 'refdata/hf', (folder) => {
  const modelIn = (name: string): Promise<LoadedModel> => loadModel(filesInFolder(join(folder, name), name));
  /** A model with the tokenizer of another folder, which has more tokens. */
  const withTokenizer = (model: LoadedModel, name: string): LoadedModel => ({
    ...model,
    config: { ...model.config, vocabSize: 1300 },
    sideFiles: new Map([
      ...model.sideFiles,
      ['tokenizer.json', new Uint8Array(readFileSync(join(folder, name, 'tokenizer.json')))],
    ]),
  });

  test.each(['mistral', 'mistral-v4'])('prompts of %s are the ids of Hugging Face’s', async (name) => {
    const encode = llamaTokenizer(tokenizerValues(await modelIn(name)));
    const { chat = [] } = expectedModel(join(folder, name));
    const rendered = chat.filter(({ text, ids }) => text !== undefined && ids !== undefined);
    expect(rendered.length).toBeGreaterThan(10);
    for (const { text = '', ids } of rendered) expect(encode(text), `${text}`).toEqual(ids);
  });

  test.each(['mistral-v4', 'tokenizers/mistral_legacy', 'tokenizers/gemma'])(
    'texts of %s, too',
    async (name) => {
      const model = await modelIn('mistral-v4');
      const encode = llamaTokenizer(
        tokenizerValues(name.startsWith('tokenizers/') ? withTokenizer(model, name) : model),
      );
      for (const { text, ids } of expectedText(join(folder, name)).encode)
        expect(encode(text), `${JSON.stringify(text)}`).toEqual(ids);
    },
  );

  it('cuts any text as the tokenizer does', async () => {
    const model = await modelIn('mistral-v4');
    const encode = llamaTokenizer(tokenizerValues(model));
    const draw = drawsFor(seed);
    const words = Array.from({ length: model.tokenizer.vocabSize }, (_, id) => model.tokenizer.decode([id]));
    for (let i = 0; i < 100; i++) {
      const text = Array.from({ length: 12 }, () => pick(draw, words)).join('');
      expect(encode(text), `${JSON.stringify(text)}`).toEqual(model.tokenizer.encode(text));
    }
  });

  it('are refused where llama.cpp would cut some text otherwise', async () => {
    const model = await modelIn('mistral');
    const json = new TextDecoder().decode(model.sideFiles.get('tokenizer.json'));
    const always = json.replace(/"prepend_scheme":\s*"first"/, '"prepend_scheme":"always"');
    expect(always).not.toBe(json);
    const sideFiles = new Map([...model.sideFiles, ['tokenizer.json', new TextEncoder().encode(always)]]);
    expect(() => tokenizerValues({ ...model, sideFiles })).toThrow(
      /GGUF is written for tokenizers of byte-level BPE/,
    );
  });
});

describe('scores', () => {
  const vocab = Object.fromEntries(['a', 'b', 'c', 'ab', 'bc', 'abc'].map((token, id) => [token, id]));
  const scores = (merges: readonly (readonly [string, string])[], tokens: object = vocab) =>
    scoresOf({ vocab: { ...tokens } as Record<string, number>, merges }, new Set());
  const TO_ABC = [
    ['a', 'b'],
    ['b', 'c'],
    ['ab', 'c'],
  ] as const;

  it('say the order of merges', () => {
    expect(scores(TO_ABC)).toEqual(
      new Map([
        [3, -1],
        [4, -2],
        [5, -3],
      ]),
    );
  });

  it('are none where neighbours would be joined that no merge joins', () => {
    // "abc" becomes a | bc, which llama.cpp would join to the token abc.
    const [ab, bc, abc] = TO_ABC;
    expect(scores([bc, ab, abc])).toBeNull();
    // c has no token: merges never see it, llama.cpp joins its character.
    expect(scores([['a', 'b']], { a: 0, b: 1, ab: 2, abc: 3 })).toBeNull();
  });

  it('are none where one token is made before and behind another', () => {
    const [ab, bc, abc] = TO_ABC;
    expect(scores([ab, bc, abc, ['a', 'bc']])).not.toBeNull();
    expect(scores([ab, abc, bc, ['a', 'bc']])).toBeNull();
  });
});
