/** The independent oracle: transformers.js, in the browser, on what is exported here. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PreTrainedModel } from '@huggingface/transformers';
import { worstDifference } from '@rl-playground/engine/testing/accuracy';
import { referenceLogits } from '@rl-playground/engine/testing/decoderReference';
import { casesOf, modelsOf } from '@rl-playground/engine/testing/gpu';
import { describeReferenceModels } from '@rl-playground/engine/testing/sharedInBrowser';
import {
  openModel,
  openPipeline,
  transformersGreedy,
  transformersLogits,
  type TransformersDevice,
} from '@rl-playground/engine/testing/transformers';
import { loadModel, loadWeights, filesAtUrl, OpenFolder, widened } from '@rl-playground/engine/parts';
import { contents } from '@rl-playground/engine/testing/zips';
import { onnxFiles } from './export.ts';
import { exportOnnx } from '../testing/exportOnnx.ts';
import { onnxFolder, withPrecision } from './folder.ts';

const TOLERANCE = 1e-3;
const DEVICES: readonly TransformersDevice[] = ['wasm', 'webgpu'];
const QUESTIONS = ['1+2=', '17+25+8=', 'Reverse 40312', '9+9+9+9+9+9+9='];
const NEW_TOKENS = 40;

const largest = (values: readonly number[]): number => values.indexOf(Math.max(...values));

const starter = await loadModel(filesAtUrl('starter', '/models/starter'));
const host = { config: starter.config, weights: await widened(starter.weights) };
const prompts = QUESTIONS.map((content) => starter.tokenizer.promptIds([{ role: 'user', content }]));
const folder = await contents(onnxFolder(starter, onnxFiles(starter.config, starter.weights)));

/** The likeliest token in float64 behind a prompt and each beginning of its continuation. */
function likeliest(prompt: readonly number[], tokens: readonly number[]): number[] {
  const rows = referenceLogits(host.config, host.weights, [...prompt, ...tokens]);
  return tokens.map((_, i) => largest(rows[prompt.length - 1 + i] ?? []));
}

// A graph's logits and its cache are the same for every device; onnxruntime compiles both anew for WebGPU.
describe.each(casesOf(DEVICES, ['wasm'] as const))('the starter model in transformers.js on %s', (device) => {
  let model: PreTrainedModel;
  beforeAll(async () => {
    model = await openModel(folder, device);
  });
  afterAll(async () => void (await model.dispose()));

  test('logits of a batch padded on the left', async () => {
    expect(new Set(prompts.map(({ length }) => length)).size).toBeGreaterThan(1);
    const actual = await transformersLogits(model, prompts);
    prompts.forEach((prompt, b) => {
      const expected = referenceLogits(host.config, host.weights, prompt).flat();
      expect(worstDifference(actual[b]?.flat() ?? [], expected)).toBeLessThan(TOLERANCE);
    });
  });

  test('greedy tokens, in a batch and alone', async () => {
    const batch = await transformersGreedy(model, prompts, NEW_TOKENS);
    expect(batch.map(({ length }) => length)).toEqual(prompts.map(() => NEW_TOKENS));
    expect(batch).toEqual(batch.map((tokens, b) => likeliest(prompts[b] ?? [], tokens)));
    expect(await transformersGreedy(model, prompts.slice(0, 1), NEW_TOKENS)).toEqual(batch.slice(0, 1));
  });

  test('pipeline() with the chat template and the stop tokens of the folder', async () => {
    const continuations = await transformersGreedy(model, prompts, NEW_TOKENS);
    const generator = await openPipeline(folder, device);
    const chats = QUESTIONS.map((content) => [{ role: 'user', content }]);
    const output = await generator(chats, { max_new_tokens: NEW_TOKENS, do_sample: false });
    await generator.dispose();
    const texts = (output as { generated_text: { content: string }[] }[][]).map(
      ([first]) => first?.generated_text.at(-1)?.content,
    );
    // transformers.js goes on until all rows end at one and the same token, and leaves everything before it in the text.
    const ends = Array.from({ length: NEW_TOKENS }, (_, at) =>
      continuations.every((tokens) => starter.stopTokenIds.includes(tokens[at] ?? -1)),
    );
    const length = ends.includes(true) ? ends.indexOf(true) + 1 : NEW_TOKENS;
    expect(texts).toEqual(continuations.map((tokens) => starter.tokenizer.decode(tokens.slice(0, length))));
  });
});

describeReferenceModels('reference models in transformers.js', (models) => {
  describe.each(casesOf(DEVICES, ['wasm'] as const))('on %s', (device) => {
    // Of the others the files are read in their own way, or the sizes are others.
    const ownGraphs = models.filter(({ label }) => !/bf16|smollm/.test(label));
    const chosen = device === 'wasm' ? casesOf(models, ownGraphs) : modelsOf(models);
    test.each(chosen.map((files) => [files.label, files] as const))('%s', async (_, files) => {
      const { config, weights } = await loadWeights(files);
      const folder = new OpenFolder(files);
      const configJson = await folder.requiredJson('config.json');
      const modelFolder = new Map([
        ['config.json', new TextEncoder().encode(JSON.stringify(withPrecision(configJson)))],
        ['onnx/model.onnx', await exportOnnx(config, weights)],
      ]);
      const { greedy } = (await folder.requiredJson('expected.json')) as {
        greedy: { prompt: number[]; completion: number[] };
      };
      const sequences = [[...greedy.prompt, ...greedy.completion], greedy.prompt, greedy.completion.slice(5)];
      const model = await openModel(modelFolder, device);
      const actual = await transformersLogits(model, sequences);
      const [tokens] = await transformersGreedy(model, sequences.slice(1), greedy.completion.length);
      await model.dispose();
      sequences.forEach((sequence, b) => {
        const expected = referenceLogits(config, weights, sequence).flat();
        expect(worstDifference(actual[b]?.flat() ?? [], expected)).toBeLessThan(TOLERANCE);
      });
      expect(tokens).toEqual(greedy.completion);
    });
  });
});
