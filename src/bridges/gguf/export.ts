/** Models and LoRA adapters as GGUF, which llama.cpp runs. */
import {
  type ModelConfig,
  adapterSpecs,
  loraScale,
  peftName,
  type LoraSettings,
  ropeFrequencies,
  ropeOfLayers,
  storedAs,
  storedInMemory,
  type StoredTensor,
  numberTypeOf,
  type NumberType,
  type WeightArrays,
  type LoadedModel,
  openBytes,
  type OpenFile,
  type StoredWeights,
} from '@rl-playground/engine/parts';
import { type CheckpointParts, mergedModel } from '@rl-playground/run/checkpoint';
import { exportCard, type WeightType } from '@rl-playground/run/export';
import { requiredTensor } from '@rl-playground/engine/parts/tensors';
import { ggufFile, type GgufValue } from './ggufFile.ts';
import { architectureOf, ggufModule, orderedRows } from './tensorNames.ts';
import { tokenizerValues } from './tokenizerValues.ts';

/** The numbers of `general.file_type`, which says how most weights are stored. */
const FILE_TYPES: Readonly<Record<NumberType, number>> = { F32: 0, F16: 1, BF16: 32 };

function architectureValues(config: ModelConfig): [string, GgufValue][] {
  const { theta, scaling } = ropeOfLayers(config);
  const values: [string, GgufValue][] = [
    ['context_length', { uint32: config.maxPositions }],
    ['embedding_length', { uint32: config.hiddenSize }],
    ['block_count', { uint32: config.layers }],
    ['feed_forward_length', { uint32: config.mlpSize }],
    ['vocab_size', { uint32: config.vocabSize }],
    ['attention.head_count', { uint32: config.heads }],
    ['attention.head_count_kv', { uint32: config.kvHeads }],
    ['attention.key_length', { uint32: config.headDim }],
    ['attention.value_length', { uint32: config.headDim }],
    ['attention.layer_norm_rms_epsilon', { float32: config.rmsEps }],
    ['rope.dimension_count', { uint32: config.headDim }],
    ['rope.freq_base', { float32: theta }],
  ];
  if (scaling?.type === 'linear')
    values.push(
      ['rope.scaling.type', { text: 'linear' }],
      ['rope.scaling.factor', { float32: scaling.factor }],
    );
  return values.map(([key, value]) => [`${architectureOf(config)}.${key}`, value]);
}

/** The factors by which llama.cpp divides the frequencies of Llama 3's RoPE; other models have none. */
function ropeFactors(config: ModelConfig): WeightArrays {
  const rope = ropeOfLayers(config);
  if (rope.scaling?.type !== 'llama3') return new Map();
  const scaled = ropeFrequencies(config.headDim, rope);
  const plain = ropeFrequencies(config.headDim, { ...rope, scaling: null });
  const data = Float32Array.from(plain, (frequency, i) => frequency / (scaled[i] ?? frequency));
  return new Map([['rope_freqs.weight', { shape: [data.length], data }]]);
}

/** A model with its weights in `type` and its vectors in F32, for llama.cpp. @throws ModelFileError for a tokenizer that llama.cpp does not have. */
export function modelGguf(model: LoadedModel, type: NumberType): OpenFile {
  const { config } = model;
  const tensors = new Map<string, StoredTensor>(storedInMemory(ropeFactors(config)));
  for (const [name, tensor] of model.weights) {
    const [, module = '', kind = ''] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
    const stored = storedAs(name, tensor, tensor.shape.length === 1 ? 'F32' : type);
    tensors.set(`${ggufModule(module)}.${kind}`, orderedRows(config, module, stored));
  }
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { text: architectureOf(config) }],
    ['general.type', { text: 'model' }],
    ['general.name', { text: model.name }],
    ['general.file_type', { uint32: FILE_TYPES[type] }],
    ...architectureValues(config),
    ...tokenizerValues(model),
  ]);
  return ggufFile(metadata, tensors);
}

/** An adapter alone, for llama.cpp's `--lora` beside a GGUF of the base. Its scale is α / r there, so α says rsLoRA's, too. */
export function adapterGguf(
  config: ModelConfig,
  { settings, arrays }: { readonly settings: LoraSettings; readonly arrays: WeightArrays },
): OpenFile {
  const stored = storedInMemory(arrays);
  const tensors = new Map<string, StoredTensor>();
  for (const { module } of adapterSpecs(config, settings)) {
    const name = `${ggufModule(module)}.weight`;
    tensors.set(`${name}.lora_a`, requiredTensor(stored, peftName(module, 'A')));
    tensors.set(`${name}.lora_b`, orderedRows(config, module, requiredTensor(stored, peftName(module, 'B'))));
  }
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { text: architectureOf(config) }],
    ['general.type', { text: 'adapter' }],
    ['adapter.type', { text: 'lora' }],
    ['adapter.lora.alpha', { float32: loraScale(settings) * settings.rank }],
  ]);
  return ggufFile(metadata, tensors);
}

/** A run's model as files of llama.cpp: the merged one and, under LoRA, the adapter, which can be swapped in beside its base. @throws ModelFileError for a tokenizer that llama.cpp does not know. */
export function ggufExport(
  parts: CheckpointParts,
  type: WeightType,
  base: StoredWeights,
): Map<string, OpenFile> {
  const stored = type === 'base' ? numberTypeOf([...base.values()][0]?.dtype ?? 'F32') : type;
  const files = new Map([['model.gguf', modelGguf(mergedModel(parts), stored)]]);
  if (parts.adapter) files.set('adapter.gguf', adapterGguf(parts.model.config, parts.adapter));
  return files.set('README.md', openBytes(new TextEncoder().encode(exportCard(parts, 'gguf'))));
}
