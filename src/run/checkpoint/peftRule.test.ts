/**
 * The files of an adapter by PEFT's own rule, read as its loader reads them: `base_model.model.<module>.lora_A.weight` [r, in] and
 * `.lora_B.weight` [out, r]; merging adds (lora_alpha / r) · B · A to `<module>.weight` [out, in] (`Linear.get_delta_weight`, with
 * `fan_in_fan_out` false, as for every torch.nn.Linear: only GPT-2's Conv1D stores [in, out]).
 */
import { expect, test } from 'vitest';
import {
  loadModel,
  parseSafetensors,
  filesInMemory,
  adapterLength,
  mergedConfig,
  type LoraSettings,
  LORA_TARGETS,
  type WeightArrays,
  modelFiles,
  withWeights,
  widened,
} from '@rl-playground/engine/parts';
import { packArrays, unpackArrays, unpackPeft } from '@rl-playground/engine/parts/tensors';
import { mergeAdapter } from '@rl-playground/engine/testing/mergeAdapter';
import { drawsFor } from '@rl-playground/base/random';
import { jsonBytes, tinyModelFolder } from '@rl-playground/engine/testing/modelFolder';
import { adapterFiles } from './adapterFiles.ts';
import { contents } from '@rl-playground/engine/testing/zips';

const tensorsOf = (files: ReadonlyMap<string, Uint8Array>, name: string): WeightArrays =>
  parseSafetensors(files.get(name) ?? new Uint8Array(), name).tensors;
const jsonOf = (files: ReadonlyMap<string, Uint8Array>, name: string): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(files.get(name))) as Record<string, unknown>;

/** Files of an adapter with random factors, and of the merged model. */
async function writtenFiles(settings: LoraSettings, config: Record<string, unknown> = {}) {
  const folder = tinyModelFolder();
  folder.set('config.json', jsonBytes({ ...jsonOf(folder, 'config.json'), ...config }));
  const model = await loadModel(filesInMemory('tiny', folder));
  const draw = drawsFor(11, settings.rank);
  const pool = Float32Array.from({ length: adapterLength(model.config, settings) }, () => draw() - 0.5);
  const merged = mergeAdapter(
    model.config,
    packArrays(model.config, await widened(model.weights)),
    pool,
    settings,
  );
  const arrays = unpackPeft(model.config, settings, pool);
  const trained = withWeights(model, unpackArrays(mergedConfig(model.config, settings), merged));
  const files = await contents(
    adapterFiles({ settings, arrays, base: await widened(model.weights) }, trained),
  );
  return { files, top: modelFiles(trained) };
}

test.each<LoraSettings>([
  { rank: 2, alpha: 3, targets: ['q_proj', 'v_proj', 'down_proj'] },
  { rank: 3, alpha: 6, targets: LORA_TARGETS },
])("PEFT's sum of base and adapter is the merged model: %j", async (settings) => {
  const { files, top } = await writtenFiles(settings);
  const config = jsonOf(files, 'adapter/adapter_config.json');
  const scale = Number(config['lora_alpha']) / Number(config['r']);
  const adapter = tensorsOf(files, 'adapter/adapter_model.safetensors');
  const base = tensorsOf(files, 'base/model.safetensors');
  const merged = tensorsOf(top, 'model.safetensors');
  const targets = config['target_modules'] as string[];
  let adapted = 0;
  for (const [name, { shape, data }] of merged) {
    const module = name.replace(/\.weight$/, '');
    const a = adapter.get(`base_model.model.${module}.lora_A.weight`);
    const b = adapter.get(`base_model.model.${module}.lora_B.weight`);
    // A tied head is the embedding.
    const from = base.get(name) ?? base.get('model.embed_tokens.weight');
    expect(from?.shape).toEqual(shape);
    if (!targets.includes(module.split('.').at(-1) ?? '')) {
      expect([a, b]).toEqual([undefined, undefined]);
      expect(data).toEqual(from?.data);
      continue;
    }
    adapted++;
    const [outputs = 0, inputs = 0] = shape;
    expect([a?.shape, b?.shape]).toEqual([
      [settings.rank, inputs],
      [outputs, settings.rank],
    ]);
    const wanted = Float32Array.from(data, (_, at) => {
      const [row, column] = [Math.floor(at / inputs), at % inputs];
      let product = 0;
      for (let k = 0; k < settings.rank; k++)
        product += (b?.data[row * settings.rank + k] ?? NaN) * (a?.data[k * inputs + column] ?? NaN);
      return (from?.data[at] ?? NaN) + scale * product;
    });
    const worst = data.reduce((most, value, at) => Math.max(most, Math.abs(value - (wanted[at] ?? NaN))), 0);
    expect(worst).toBeLessThan(1e-6);
  }
  expect(2 * adapted).toBe(adapter.size);
});

test('every key of adapter_config.json is a field of LoraConfig or of what it extends, and of its kind', async () => {
  const { files } = await writtenFiles({ rank: 2, alpha: 3, targets: ['q_proj', 'lm_head'] });
  expect(jsonOf(files, 'adapter/adapter_config.json')).toEqual({
    // PeftConfig
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: 'base',
    revision: null,
    inference_mode: true,
    auto_mapping: null,
    // LoraConfig
    r: 2,
    lora_alpha: 3,
    lora_dropout: 0,
    target_modules: ['q_proj', 'lm_head'],
    fan_in_fan_out: false,
    bias: 'none',
    use_rslora: false,
    use_dora: false,
    modules_to_save: null,
    init_lora_weights: true,
    layers_to_transform: null,
    layers_pattern: null,
    rank_pattern: {},
    alpha_pattern: {},
  });
});

test('what is stored as F32 says so, whatever the base model was published in', async () => {
  const settings: LoraSettings = { rank: 2, alpha: 3, targets: ['q_proj'] };
  const published = await writtenFiles(settings, { torch_dtype: 'bfloat16', dtype: 'bfloat16' });
  expect(jsonOf(published.top, 'config.json')).toMatchObject({ torch_dtype: 'float32', dtype: 'float32' });
  expect(jsonOf(published.files, 'base/config.json')).toMatchObject({ torch_dtype: 'float32' });
  const bare = await writtenFiles(settings);
  expect(jsonOf(bare.top, 'config.json')).toMatchObject({ torch_dtype: 'float32', dtype: 'float32' });
});
