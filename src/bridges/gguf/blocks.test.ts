/** Models that are written as GGUF in blocks, read again by this project's reader, whose blocks tests of its own compare with ggml's. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import {
  contentOf,
  filesInFile,
  loadModel,
  openBytes,
  parseModelConfig,
  storedBytes,
  storedInMemory,
  widened,
  type LoadedModel,
} from '@rl-playground/engine/parts';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { tinyConfigJson, tinyTensors } from '@rl-playground/engine/testing/modelFolder';
import { exportBytes, type WeightType } from '@rl-playground/run/export';
import { modelGguf } from './export.ts';

const readBack = async (model: LoadedModel, type: WeightType): Promise<LoadedModel> =>
  loadModel(await filesInFile('a.gguf', openBytes(await contentOf(modelGguf(model, type)))));

const dtypes = ({ weights }: LoadedModel): object =>
  Object.fromEntries([...weights].map(([name, { dtype }]) => [name, dtype]));

describeShared('a model in blocks', 'refdata/hf', (folder) => {
  /** A model with the tokenizer of a folder. Its rows have 64 columns, and 256 in `down_proj` alone. */
  async function wide(): Promise<LoadedModel> {
    const model = await loadModel(filesInFolder(join(folder, 'llama3'), 'llama3'));
    const json = {
      ...tinyConfigJson,
      vocab_size: model.config.vocabSize,
      hidden_size: 64,
      intermediate_size: 256,
      num_attention_heads: 4,
      num_key_value_heads: 2,
    };
    return { ...model, config: parseModelConfig(json), weights: storedInMemory(tinyTensors(json)) };
  }

  test.each([
    { type: 'Q8_0', ends: 'Q8_0', layers: 'Q8_0', down: 'Q8_0', error: 0.01 },
    { type: 'Q6_K', ends: 'Q8_0', layers: 'Q8_0', down: 'Q6_K', error: 0.03 },
    { type: 'Q4_1', ends: 'Q8_0', layers: 'Q4_1', down: 'Q4_1', error: 0.1 },
    { type: 'Q4_K', ends: 'Q8_0', layers: 'Q5_0', down: 'Q4_K', error: 0.1 },
    { type: 'Q4_0', ends: 'Q8_0', layers: 'Q4_0', down: 'Q4_0', error: 0.15 },
  ] as const)(
    '$type is what llama.cpp would choose for each tensor',
    async ({ type, ends, layers, down, error }) => {
      const model = await wide();
      const again = await readBack(model, type);
      expect(dtypes(again)).toMatchObject({
        'model.embed_tokens.weight': ends,
        'model.layers.0.input_layernorm.weight': 'F32',
        'model.layers.1.self_attn.q_proj.weight': layers,
        'model.layers.1.mlp.up_proj.weight': layers,
        'model.layers.1.mlp.down_proj.weight': down,
      });
      const [written, read] = [await widened(model.weights), await widened(again.weights)];
      for (const [name, { data }] of written) {
        const found = read.get(name)?.data ?? new Float32Array();
        const sum = (of: (i: number) => number): number =>
          data.reduce((total, _, i) => total + of(i) ** 2, 0);
        const lost = sum((i) => (data[i] ?? 0) - (found[i] ?? 0)) / sum((i) => data[i] ?? 0);
        expect([name, Math.sqrt(lost) < error]).toEqual([name, true]);
      }
      const size = [...again.weights.values()].reduce((total, tensor) => total + storedBytes(tensor), 0);
      expect(exportBytes(model, null, { format: 'gguf', type })).toBe(size);
    },
  );

  test('a base in blocks keeps them: those of this and of that type, rows of heads too', async () => {
    for (const type of ['Q4_K', 'Q6_K', 'Q4_1'] as const) {
      const first = await readBack(await wide(), type);
      const again = await readBack(first, 'base');
      expect(dtypes(again)).toEqual(dtypes(first));
      for (const [name, tensor] of first.weights) {
        const other = again.weights.get(name);
        const [bytes, same] = [tensor, other].map((each) => each?.read(0, storedBytes(each)));
        expect([name, Buffer.compare((await bytes) ?? Buffer.of(), (await same) ?? Buffer.of(1))]).toEqual([
          name,
          0,
        ]);
      }
    }
  });

  test('a changed tensor of a type that is only read is written in the next larger one', async () => {
    const model = await wide();
    const base = new Map(
      [...model.weights].map(([name, tensor]) => [
        name,
        { ...tensor, dtype: name.includes('down_proj') ? ('Q3_K' as const) : ('IQ4_NL' as const) },
      ]),
    );
    const bytes = await contentOf(modelGguf(model, 'base', base));
    const again = await loadModel(await filesInFile('a.gguf', openBytes(bytes)));
    expect(dtypes(again)).toMatchObject({
      'model.embed_tokens.weight': 'Q4_1',
      'model.layers.0.mlp.down_proj.weight': 'Q4_K',
      'model.layers.0.input_layernorm.weight': 'F32',
    });
  });
});
