/** A model as ONNX, graph and weights, as transformers.js and onnxruntime load it. */
import {
  type ModelConfig,
  storedInMemory,
  type StoredWeights,
  type WeightArrays,
  contentOf,
  type OpenFile,
} from '@rl-playground/engine/parts';
import { cacheNames, Decoder, OPSET } from './decoder.ts';
import { GraphBuilder, WeightConstants, type WeightType } from './graphBuilder.ts';
import { LARGEST_FILE, modelFiles, type Value } from './messages.ts';

/** Version of the file format that came with the set of ops. */
const IR_VERSION = 11;

export interface OnnxOptions {
  /** `float16` halves the file; arithmetic stays f32. Default `float32`. */
  readonly weightType?: WeightType;
  /** Bytes of the largest file; default protobuf's limit of 2 GB. */
  readonly largestFile?: number;
}

/** The graph's file, beside which lie `model.onnx_data`, … where there are such. */
export const ONNX_FILE = 'model.onnx';

/**
 * The files of a model by name. Inputs: `input_ids`, `attention_mask`, `position_ids` (int64), `num_logits_to_keep` (int64,
 * 0 for all), `past_key_values.N.key|value` [batch, kvHeads, past, headDim]; outputs: `logits`, `present.N.key|value`.
 * Batches may be padded on the left. Weights are in the graph's file, or where that would be too large, in files of data beside it. They
 * are made where they are read, one tensor at a time.
 * @param weights by Hugging Face name, in Hugging Face's layout
 */
export function onnxFiles(
  config: ModelConfig,
  weights: StoredWeights,
  { weightType = 'float32', largestFile = LARGEST_FILE }: OnnxOptions = {},
): Map<string, OpenFile> {
  const graph = new GraphBuilder();
  new Decoder(graph, config, new WeightConstants(graph, weights, weightType)).build();
  const model = {
    name: config.modelType,
    irVersion: IR_VERSION,
    opset: OPSET,
    nodes: graph.nodes,
    initializers: graph.initializers,
    inputs: decoderInputs(config),
    outputs: decoderOutputs(config),
  };
  return modelFiles(model, ONNX_FILE, largestFile);
}

/** The bytes of `model.onnx` of a model in memory. */
export async function exportOnnx(
  config: ModelConfig,
  arrays: WeightArrays,
  options: Pick<OnnxOptions, 'weightType'> = {},
): Promise<Uint8Array> {
  const file = onnxFiles(config, storedInMemory(arrays), options).get(ONNX_FILE);
  if (!file) throw new Error('There is no graph.');
  return contentOf(file);
}

function cacheValues(config: ModelConfig, positions: string, which: 'past' | 'present'): Value[] {
  const shape = ['batch_size', config.kvHeads, positions, config.headDim];
  return Array.from({ length: config.layers }, (_, layer) =>
    cacheNames(layer).map((names): Value => ({ name: names[which], type: 'float32', shape })),
  ).flat();
}

/** The inputs with their shapes. transformers.js makes empty caches from them: it knows `batch_size`, and takes every other name for 0. */
export function decoderInputs(config: ModelConfig): Value[] {
  return [
    { name: 'input_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    { name: 'attention_mask', type: 'int64', shape: ['batch_size', 'total_sequence_length'] },
    { name: 'position_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    // The number of last positions that get logits; 0 means all.
    { name: 'num_logits_to_keep', type: 'int64', shape: [] },
    ...cacheValues(config, 'past_sequence_length', 'past'),
  ];
}

export function decoderOutputs(config: ModelConfig): Value[] {
  return [
    { name: 'logits', type: 'float32', shape: ['batch_size', 'logits_sequence_length', config.vocabSize] },
    ...cacheValues(config, 'total_sequence_length', 'present'),
  ];
}
