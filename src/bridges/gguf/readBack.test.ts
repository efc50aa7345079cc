/** A model that is written here as GGUF is the same when it is read again. */
import { readFileSync } from 'node:fs';
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
  type ModelConfig,
} from '@rl-playground/engine/parts';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { describeShared } from '@rl-playground/base/testing/shared';
import { drawsFor } from '@rl-playground/base/random';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import { modelGguf } from './export.ts';

const bitsOf = (data: Float32Array): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** The windows and the frequencies of the layers. */
const turns = ({ attention, headDim }: ModelConfig): unknown =>
  attention.map(({ window, rope }) => [window, rope && ropeFrequencies(headDim, rope)]);

async function expectReadBack(model: LoadedModel, texts: readonly string[]): Promise<void> {
  const bytes = await contentOf(modelGguf(model, 'F32'));
  const again = await loadModel(await filesInFile('model.gguf', openBytes(bytes)));
  // llama.cpp's Llama serves Mistral, too.
  const modelType = model.config.modelType === 'mistral' ? 'llama' : model.config.modelType;
  // Several scalings may divide the few frequencies of a small model alike.
  expect(again.config).toEqual({ ...model.config, modelType, attention: again.config.attention });
  expect(turns(again.config)).toEqual(turns(model.config));
  expect(again.tokenizer.eosTokenId).toBe(model.tokenizer.eosTokenId);
  for (const id of model.stopTokenIds.slice(0, 2)) expect(again.stopTokenIds).toContain(id);
  for (const text of texts) {
    const ids = model.tokenizer.encode(text);
    expect([text, ...again.tokenizer.encode(text)]).toEqual([text, ...ids]);
    if (modelType === model.config.modelType)
      expect(again.tokenizer.decode(ids)).toBe(model.tokenizer.decode(ids));
  }
  const written = await widened(model.weights);
  const read = await widened(again.weights);
  expect([...read.keys()]).toEqual([...written.keys()]);
  for (const [name, { data }] of written)
    expect([name, Buffer.compare(bitsOf(data), bitsOf(read.get(name)?.data ?? new Float32Array()))]).toEqual([
      name,
      0,
    ]);
  // The same numbers in the same type have the same hash, whatever file they lie in.
  if ([...model.weights.values()].every(({ dtype }) => dtype === 'F32'))
    expect(again.contentHash).toBe(model.contentHash);
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
    expect.hasAssertions();
    const model = await loadModel(filesInFolder(join(folder, name), name));
    await expectReadBack(model, texts);
    const prompts = readFileSync(join(folder, name, 'tokenizer.json'), 'utf8').slice(0, 4000);
    await expectReadBack(model, [prompts]);
  });

  // Mistral's own tokenizer puts a space before a text without its start token, and llama.cpp does so everywhere or nowhere.
  test('mistral, behind its start token', async () => {
    expect.hasAssertions();
    const model = await loadModel(filesInFolder(join(folder, 'mistral'), 'mistral'));
    await expectReadBack(
      model,
      texts.map((text) => `<s>${text}`),
    );
  });
});
