/** A model as ONNX, graph and weights, for transformers.js and onnxruntime. */
import {
  type ModelConfig,
  type StoredWeights,
  ModelFileError,
  type OpenFile,
  partsBeyondLlama,
} from '@rl-playground/engine/parts';
import { type CheckpointParts, mergedModel } from '@rl-playground/run/checkpoint';
import type { NumberExport as ExportType } from '@rl-playground/run/export';
import { cacheNames, Decoder, OPSET } from './decoder.ts';
import { onnxFolder } from './folder.ts';
import { GraphBuilder } from './graphBuilder.ts';
import { WeightConstants, type WeightType } from './weightConstants.ts';
import { LARGEST_FILE, modelFiles, type Value } from './messages.ts';

/** The version of the file format that came with the set of ops. */
const IR_VERSION = 11;

export interface OnnxOptions {
  /** Half precision halves the file; arithmetic stays f32. */
  readonly weightType?: WeightType;
  /** The bytes of the largest file, by default protobuf's limit of 2 GB. */
  readonly largestFile?: number;
}

/** The file of the graph. Files of data beside it are `model.onnx_data`, `model.onnx_data_1`, … */
export const ONNX_FILE = 'model.onnx';

/**
 * The files of a model by name. Inputs: `input_ids`, `attention_mask`, `position_ids` (int64), `num_logits_to_keep` (int64,
 * 0 for all), `past_key_values.N.key|value` [batch, kvHeads, past, headDim]; outputs: `logits`, `present.N.key|value`.
 * Batches may be padded on the left. Weights are in the graph's file, or if that would be too large, in files of data beside it. They are
 * made when they are read, one tensor at a time.
 * @param weights by Hugging Face name, in Hugging Face's layout
 */
export function onnxFiles(
  config: ModelConfig,
  weights: StoredWeights,
  { weightType = 'float32', largestFile = LARGEST_FILE }: OnnxOptions = {},
): Map<string, OpenFile> {
  const parts = partsBeyondLlama(config);
  if (parts.length > 0)
    throw new ModelFileError(
      `ONNX: this ${config.modelType} model has ${parts.join(', ')}, which is not written. Export it for transformers.`,
    );
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

/**
 * A run's merged model as the folder that transformers.js loads. The type `base` is F16 for a base that is stored so, else F32.
 * @throws ModelFileError for BF16, which onnxruntime lacks.
 */
export function onnxExport(
  parts: Pick<CheckpointParts, 'model' | 'adapter'>,
  type: ExportType,
  base: StoredWeights,
): Map<string, OpenFile> {
  if (type === 'BF16')
    throw new ModelFileError('ONNX has its weights as F32 or F16: choose one of those in place of BF16.');
  const half = type === 'F16' || (type === 'base' && [...base.values()][0]?.dtype === 'F16');
  const model = mergedModel(parts);
  return onnxFolder(
    model,
    onnxFiles(model.config, model.weights, { weightType: half ? 'float16' : 'float32' }),
  );
}
