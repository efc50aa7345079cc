/** Models and LoRA adapters as GGUF, which llama.cpp runs. */
import { bytesText, plural } from '@rl-playground/base/text';
import {
  type ModelConfig,
  adapterSpecs,
  loraScale,
  peftName,
  type LoraSettings,
  parameterCount,
  ropeFrequencies,
  ropeOfLayers,
  storedAs,
  storedBytes,
  storedInMemory,
  type StoredTensor,
  type StoredType,
  type WeightArrays,
  type LoadedModel,
  openBytes,
  type OpenFile,
  type StoredWeights,
  type WritableType,
  byTurns,
  EMBEDDING,
  HEAD,
  isReordered,
  tensorOfModule,
} from '@rl-playground/engine/parts';
import { type CheckpointParts, mergedModel } from '@rl-playground/run/checkpoint';
import { exportCard, fittingType, ggufTypeOf, type WeightType } from '@rl-playground/run/export';
import { requiredTensor } from '@rl-playground/engine/parts/tensors';
import { ggufFile, type GgufValue } from './ggufFile.ts';
import { architectureOf } from './tensorNames.ts';
import { tokenizerValues } from './tokenizerValues.ts';

/** The numbers of `general.file_type`, which says how most weights are stored. */
const FILE_TYPES: Readonly<Record<StoredType, number>> = {
  F32: 0,
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q8_0: 7,
  Q5_0: 8,
  Q5_1: 9,
  Q2_K: 10,
  Q3_K: 11,
  Q4_K: 14,
  Q5_K: 16,
  Q6_K: 18,
  IQ4_NL: 25,
  IQ4_XS: 30,
  BF16: 32,
};
/** The version of the block formats, which every file with blocks names. */
const QUANTIZATION_VERSION = 2;

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

/** The types of a file's tensors. `base` keeps those of the weights that the run began from, where new numbers can have them. */
function typeOf(name: string, tensor: StoredTensor, type: WeightType, base: StoredWeights): StoredType {
  if (type !== 'base') return ggufTypeOf(name, tensor, type);
  const { dtype } = base.get(name) ?? base.get(name === HEAD ? EMBEDDING : name) ?? tensor;
  if (tensor.dtype === dtype) return dtype;
  return tensor.shape.length === 1 ? 'F32' : fittingType(tensor.shape.at(-1) ?? 1, dtype);
}

/** A tensor in a type. One that has it already is left alone, whatever wrote it. */
const inType = (name: string, tensor: StoredTensor, type: StoredType): StoredTensor =>
  tensor.dtype === type ? tensor : storedAs(name, tensor, type as WritableType);

/** The tensors under llama.cpp's names, in its order of rows. */
function modelTensors(
  { config, weights }: LoadedModel,
  type: WeightType,
  base: StoredWeights,
): Map<string, StoredTensor> {
  const architecture = architectureOf(config);
  const tensors = new Map<string, StoredTensor>(storedInMemory(ropeFactors(config)));
  for (const [name, tensor] of weights) {
    const [, module = '', kind = ''] = /^(.*)\.(weight|bias)$/.exec(name) ?? [];
    const stored = inType(name, tensor, typeOf(name, tensor, type, base));
    const ordered = isReordered(module, architecture) ? byTurns(stored, config.headDim) : stored;
    tensors.set(`${tensorOfModule(module, architecture)}.${kind}`, ordered);
  }
  return tensors;
}

/** The bytes by type, the most first. */
function bytesByType(tensors: Iterable<StoredTensor>): [StoredType, number][] {
  const bytes = new Map<StoredType, number>();
  for (const tensor of tensors) bytes.set(tensor.dtype, (bytes.get(tensor.dtype) ?? 0) + storedBytes(tensor));
  return [...bytes].sort(([, one], [, other]) => other - one);
}

/**
 * A model for llama.cpp with its matrices in `type`. `base`: the weights that the run began from.
 * @throws ModelFileError for a tokenizer or an architecture that llama.cpp does not have.
 */
export function modelGguf(model: LoadedModel, type: WeightType, base = model.weights): OpenFile {
  const { config } = model;
  const tensors = modelTensors(model, type, base);
  const [[most] = ['F32' as const]] = bytesByType(
    [...tensors].filter(([name]) => name.startsWith('blk.')).map(([, tensor]) => tensor),
  );
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { text: architectureOf(config) }],
    ['general.type', { text: 'model' }],
    ['general.name', { text: model.name }],
    ['general.file_type', { uint32: FILE_TYPES[type === 'base' ? most : type] }],
    ['general.quantization_version', { uint32: QUANTIZATION_VERSION }],
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
  const architecture = architectureOf(config);
  for (const { module } of adapterSpecs(config, settings)) {
    const name = `${tensorOfModule(module, architecture)}.weight`;
    const b = requiredTensor(stored, peftName(module, 'B'));
    tensors.set(`${name}.lora_a`, requiredTensor(stored, peftName(module, 'A')));
    tensors.set(`${name}.lora_b`, isReordered(module, architecture) ? byTurns(b, config.headDim) : b);
  }
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { text: architecture }],
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
  const model = mergedModel(parts);
  const files = new Map([['model.gguf', modelGguf(model, type, base)]]);
  if (parts.adapter) files.set('adapter.gguf', adapterGguf(parts.model.config, parts.adapter));
  const card = exportCard(parts, 'gguf', typesText(model, type, base));
  return files.set('README.md', openBytes(new TextEncoder().encode(card)));
}

/** The sentence of the model card that says how the numbers are kept. */
function typesText(model: LoadedModel, type: WeightType, base: StoredWeights): string {
  const tensors = [...modelTensors(model, type, base).values()];
  const numbers = parameterCount(model.config);
  const bytes = bytesByType(tensors);
  const bits = (8 * bytes.reduce((sum, [, each]) => sum + each, 0)) / numbers;
  const counts = bytes.map(([each, size]) => {
    const of = tensors.filter(({ dtype }) => dtype === each).length;
    return `${each} (${plural(of, 'tensor')}, ${bytesText(size)})`;
  });
  return `Stored as ${counts.join(', ')}: ${bits.toFixed(2)} bits a weight. Vectors are F32.${EXPLAINED[type] ?? ''}`;
}

const SHORT =
  ' Where a row is no whole number of blocks of 256, the next type with blocks of 32 takes their place.';
const ENDS = ' Embedding and head have 8 bits.';
const EXPLAINED: Readonly<Partial<Record<WeightType, string>>> = {
  Q4_0: ENDS,
  Q4_1: ENDS,
  Q4_K: `${ENDS}${SHORT}`,
  Q6_K: SHORT,
};
