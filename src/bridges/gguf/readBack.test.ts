/** A model that is written here as GGUF is the same when it is read again. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  contentOf,
  filesInFile,
  loadModel,
  ropeFrequencies,
  openBytes,
  widened,
  type LoadedModel,
} from '@rl-playground/engine/parts';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor } from '@rl-playground/base/random';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import { modelGguf } from './export.ts';

/** The model as it is read from a file that was written of it. */
async function writtenAndRead(model: LoadedModel): Promise<LoadedModel> {
  const bytes = await contentOf(modelGguf(model, 'F32'));
  return loadModel(await filesInFile('model.gguf', openBytes(bytes)));
}

/** The facts of a model that must come back: architecture, tokens of texts, and every bit of the weights. */
async function factsOf({ config, weights, tokenizer }: LoadedModel, texts: readonly string[]) {
  const { attention, modelType, headDim } = config;
  return {
    config: {
      ...config,
      // llama.cpp's Llama serves Mistral, too.
      modelType: modelType === 'mistral' ? 'llama' : modelType,
      // Several scalings may divide the few frequencies of a small model alike.
      attention: attention.map(({ window, rope }) => ({
        window,
        frequencies: ropeFrequencies(headDim, rope),
      })),
    },
    end: tokenizer.eosTokenId,
    tokens: texts.map((text) => [text, ...tokenizer.encode(text)]),
    weights: [...(await widened(weights))].map(([name, { data }]) => [
      name,
      Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64'),
    ]),
  };
}

const PLAIN = [
  'Hello, world! 1234567890 12.5 1,000',
  '  two spaces, and  a digit  7\n\n\tfunction() {\r\n}',
  "don't can't I'll WE'VE",
  'Zürich, Straße, e\u0301 vs é, Привет, こんにちは, नमस्ते, 👩‍👩‍👧',
  '<|im_start|>user\nHi<|im_end|>',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
];
const seed = Math.floor(Math.random() * 2 ** 32);
const draw = drawsFor(seed);
const texts = [...PLAIN, ...Array.from({ length: 200 }, () => hostileText(draw, 'word 12').slice(0, 200))];

describeShared(`models by transformers (seed ${seed})`, 'refdata/hf', (folder) => {
  test.each(['llama3', 'qwen2', 'qwen3', 'smollm2', 'gemma3-v4'])('%s', async (name) => {
    const model = await loadModel(filesInFolder(join(folder, name), name));
    const again = await writtenAndRead(model);
    expect(await factsOf(again, texts)).toEqual(await factsOf(model, texts));
    expect(again.stopTokenIds).toEqual(expect.arrayContaining(model.stopTokenIds.slice(0, 2)));
    for (const text of texts) {
      const ids = model.tokenizer.encode(text);
      expect(again.tokenizer.decode(ids)).toBe(model.tokenizer.decode(ids));
    }
    // The same numbers in the same type have the same hash, whatever file they lie in.
    const sameType = [...model.weights.values()].every(({ dtype }) => dtype === 'F32');
    expect(again.contentHash === model.contentHash).toBe(sameType);
  });

  // Mistral's own tokenizer puts a space before a text without its start token, and llama.cpp does so everywhere or nowhere.
  test('mistral, behind its start token', async () => {
    const model = await loadModel(filesInFolder(join(folder, 'mistral'), 'mistral'));
    const behind = texts.map((text) => `<s>${text}`);
    expect(await factsOf(await writtenAndRead(model), behind)).toEqual(await factsOf(model, behind));
  });
});
