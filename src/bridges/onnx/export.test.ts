import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  parseModelConfig,
  type ModelConfig,
  initialWeights,
  fromFloat16,
  toFloat16,
  loadWeights,
  OpenFolder,
  type WeightArrays,
  storedInMemory,
} from '@rl-playground/engine/parts';
import { drawsFor } from '@rl-playground/base/random';
import { worstDifference } from '@rl-playground/engine/testing/accuracy';
import { referenceLogits } from '@rl-playground/engine/testing/decoderReference';
import { parseExpectedTensors } from '@rl-playground/engine/testing/expectedTensors';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { exportOnnx } from '../testing/exportOnnx.ts';
import { OnnxSession } from '../testing/onnxSession.ts';
import { describeShared } from '@rl-playground/base/testing/shared';
import { contents } from '@rl-playground/engine/testing/zips';
import { ONNX_FILE, onnxFiles } from './export.ts';

const TOLERANCE = 1e-4;

const seed = Math.floor(Math.random() * 2 ** 32);
const draw = drawsFor(seed);

/** Initial weights are small and their norms and biases constant: these are large enough to tell every part apart. */
function randomWeights(config: ModelConfig): WeightArrays {
  return new Map(
    [...initialWeights(config, draw)].map(([name, { shape, data }]) => [
      name,
      {
        shape,
        data: data.map(() => (name.includes('norm') ? 0.5 + draw() : (draw() - 0.5) * 0.8)),
      },
    ]),
  );
}

const randomTokens = (length: number, { vocabSize }: ModelConfig): number[] =>
  Array.from({ length }, () => Math.floor(draw() * vocabSize));

const sizes = {
  vocab_size: 31,
  hidden_size: 20,
  num_hidden_layers: 2,
  intermediate_size: 28,
  rope_theta: 500,
};

/** Every feature of a config, in shapes that are no powers of two. */
const CONFIGS: Readonly<Record<string, object>> = {
  'llama, multi-head, tied': {
    ...sizes,
    model_type: 'llama',
    num_attention_heads: 5,
    tie_word_embeddings: true,
  },
  'llama with every bias, grouped queries, untied': {
    ...sizes,
    model_type: 'llama',
    num_attention_heads: 6,
    num_key_value_heads: 2,
    head_dim: 6,
    attention_bias: true,
    mlp_bias: true,
  },
  'arcee, ReLU without a gate': {
    ...sizes,
    model_type: 'arcee',
    hidden_act: 'relu',
    num_attention_heads: 2,
    mlp_bias: true,
  },
  'qwen2, one key head, tied': {
    ...sizes,
    model_type: 'qwen2',
    num_attention_heads: 2,
    num_key_value_heads: 1,
    tie_word_embeddings: true,
  },
  'qwen3, wide heads, linear RoPE': {
    ...sizes,
    model_type: 'qwen3',
    num_attention_heads: 3,
    num_key_value_heads: 3,
    head_dim: 14,
    rope_scaling: { rope_type: 'linear', factor: 3 },
  },
  'llama3 RoPE, heads of 2': {
    ...sizes,
    model_type: 'llama',
    num_attention_heads: 10,
    num_key_value_heads: 5,
    head_dim: 2,
    max_position_embeddings: 64,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 16,
    },
  },
};

describe(`exportOnnx, run by onnxruntime (seed ${seed})`, () => {
  test.each(Object.entries(CONFIGS))('%s: float64 logits, padded on the left, cached', async (_, json) => {
    const config = parseModelConfig(json);
    const weights = randomWeights(config);
    const session = await OnnxSession.open(config, await exportOnnx(config, weights));
    const prompts = [1, 9, 4].map((length) => randomTokens(length, config));
    const more = [prompts, ...[1, 1, 3].map((length) => prompts.map(() => randomTokens(length, config)))];
    const actual: number[][][] = prompts.map(() => []);
    for (const next of more) {
      (await session.advance(next)).forEach((rows, b) => actual[b]?.push(...rows));
    }
    await session.close();
    prompts.forEach((_prompt, b) => {
      const whole = more.flatMap((next) => next[b] ?? []);
      const expected = referenceLogits(config, weights, whole).flat();
      expect(actual[b]?.flat()).toHaveLength(expected.length);
      expect(worstDifference(actual[b]?.flat() ?? [], expected)).toBeLessThan(TOLERANCE);
    });
  });

  it('gives as many last logits as are asked for', async () => {
    const config = parseModelConfig(CONFIGS['qwen2, one key head, tied']);
    const bytes = await exportOnnx(config, randomWeights(config));
    const prompt = randomTokens(7, config);
    const last = async (keep: number): Promise<number[][] | undefined> => {
      const session = await OnnxSession.open(config, bytes);
      const [rows] = await session.advance([prompt], keep);
      await session.close();
      return rows;
    };
    const all = await last(0);
    expect(all).toHaveLength(7);
    for (const keep of [1, 3, 7, 20]) {
      const rows = await last(keep);
      expect(rows).toHaveLength(Math.min(keep, 7));
      expect(worstDifference(rows?.flat() ?? [], all?.slice(-keep).flat() ?? [])).toBeLessThan(TOLERANCE);
    }
  });

  it('stores weights as float16 and computes as if they had been rounded before', async () => {
    const config = parseModelConfig(CONFIGS['llama with every bias, grouped queries, untied']);
    const weights = randomWeights(config);
    const rounded = new Map(
      [...weights].map(([name, { shape, data }]) => [name, { shape, data: fromFloat16(toFloat16(data)) }]),
    );
    const bytes = await exportOnnx(config, weights, { weightType: 'float16' });
    const stored = [...weights.values()].reduce((sum, { data }) => sum + data.length, 0);
    expect((await exportOnnx(config, weights)).length - bytes.length).toBeGreaterThan(1.5 * stored);
    const session = await OnnxSession.open(config, bytes);
    const prompt = randomTokens(11, config);
    const [rows] = await session.advance([prompt]);
    await session.close();
    const expected = referenceLogits(config, rounded, prompt).flat();
    expect(worstDifference(rows?.flat() ?? [], expected)).toBeLessThan(TOLERANCE);
  });
});

describe('exportOnnx', () => {
  it.each(['float32', 'float16'] as const)(
    'puts weights of %s that one file can not hold beside the graph',
    async (weightType) => {
      const config = parseModelConfig({ ...sizes, model_type: 'qwen3', num_attention_heads: 2, head_dim: 6 });
      const weights = randomWeights(config);
      const files = await contents(
        onnxFiles(config, storedInMemory(weights), { weightType, largestFile: 8192 }),
      );
      const [graph, ...data] = [...files].map(([name, bytes]) => ({ name, bytes }));
      expect(data.map(({ name }) => name).slice(0, 2)).toEqual(['model.onnx_data', 'model.onnx_data_1']);
      const session = await OnnxSession.open(config, graph?.bytes ?? new Uint8Array(), data);
      const whole = await OnnxSession.open(config, await exportOnnx(config, weights, { weightType }));
      const prompt = randomTokens(9, config);
      expect(await session.advance([prompt])).toEqual(await whole.advance([prompt]));
      await Promise.all([session.close(), whole.close()]);
    },
  );

  it('lays out what is larger than any file without reading a number', () => {
    const config = parseModelConfig({ ...sizes, model_type: 'llama', num_attention_heads: 5 });
    const weights = new Map(storedInMemory(new Map(initialWeights(config, draw))));
    const read = () => Promise.reject(new Error('It was read.'));
    weights.set('lm_head.weight', { shape: [2 ** 20, 2 ** 10], dtype: 'F32', read });
    const files = onnxFiles(config, weights);
    expect([...files.keys()]).toEqual([ONNX_FILE, 'model.onnx_data', 'model.onnx_data_1']);
    expect(files.get(ONNX_FILE)?.size).toBeLessThan(2 ** 16);
    expect(files.get('model.onnx_data_1')?.size).toBe(2 ** 32);
  });

  it('names a tensor that is missing', async () => {
    const config = parseModelConfig({ ...sizes, model_type: 'qwen2', num_attention_heads: 5 });
    const arrays = new Map(initialWeights(config, draw));
    arrays.delete('model.layers.1.self_attn.k_proj.bias');
    await expect(exportOnnx(config, arrays)).rejects.toThrow('model.layers.1.self_attn.k_proj.bias');
  });
});

describeShared('exported reference models, run by onnxruntime', 'refdata/models', (folder) => {
  const entries = folder === '' ? [] : readdirSync(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);

  test.each(names)('%s: logits and greedy continuation', async (name) => {
    const files = filesInFolder(join(folder, name), name);
    const { config, weights } = await loadWeights(files);
    const [answers, tensors] = await Promise.all(
      ['expected.json', 'expected.safetensors'].map((file) => new OpenFolder(files).read(file)),
    );
    if (!answers || !tensors) throw new Error(`${name} has no expected answers.`);
    const expected = parseExpectedTensors(tensors);
    const [ids, lengths, logits] = ['input_ids', 'lengths', 'logits'].map((key) => expected.get(key));
    if (!ids || !lengths || !logits) throw new Error(`${name} has no expected logits.`);
    const bytes = await exportOnnx(config, weights);

    const [, length = 0] = ids.shape;
    const sequences = [...lengths.values].map((count, b) => [
      ...ids.values.subarray(b * length, b * length + count),
    ]);
    const session = await OnnxSession.open(config, bytes);
    (await session.advance(sequences)).forEach((rows, b) => {
      const first = b * length * config.vocabSize;
      const own = logits.values.subarray(first, first + rows.length * config.vocabSize);
      expect(worstDifference(rows.flat(), own)).toBeLessThan(TOLERANCE);
    });
    await session.close();

    const { greedy } = JSON.parse(new TextDecoder().decode(answers)) as {
      greedy: { prompt: number[]; completion: number[] };
    };
    expect(await greedyTokens(config, bytes, greedy.prompt, greedy.completion.length)).toEqual(
      greedy.completion,
    );
  });
});

async function greedyTokens(
  config: ModelConfig,
  bytes: Uint8Array,
  prompt: readonly number[],
  count: number,
): Promise<number[]> {
  const session = await OnnxSession.open(config, bytes);
  const tokens: number[] = [];
  let next: readonly number[] = prompt;
  while (tokens.length < count) {
    const [[logits = []] = []] = await session.advance([next], 1);
    const best = logits.indexOf(Math.max(...logits));
    tokens.push(best);
    next = [best];
  }
  await session.close();
  return tokens;
}
