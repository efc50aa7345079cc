/** A model as one ONNX file, graph and weights, as transformers.js and onnxruntime load it. */
import type { ModelConfig } from '../../model/config.ts';
import type { WeightArrays } from '../../model/weights.ts';
import { cacheNames, Decoder, OPSET } from './decoder.ts';
import { GraphBuilder, WeightConstants, type WeightType } from './graphBuilder.ts';
import { ModelFile, type Value } from './messages.ts';

/** Version of the file format that came with the set of ops. */
const IR_VERSION = 11;

export interface OnnxOptions {
  /** `float16` halves the file; arithmetic stays f32. Default `float32`. */
  readonly weightType?: WeightType;
}

/** Awaited after every tensor, with bytes. */
export type ExportPause = (done: number, total: number) => Promise<void>;

function laidOut(config: ModelConfig, arrays: WeightArrays, { weightType }: OnnxOptions): ModelFile {
  const graph = new GraphBuilder();
  new Decoder(graph, config, new WeightConstants(graph, arrays, weightType ?? 'float32')).build();
  return new ModelFile({
    name: config.modelType,
    irVersion: IR_VERSION,
    opset: OPSET,
    nodes: graph.nodes,
    initializers: graph.initializers,
    inputs: decoderInputs(config),
    outputs: decoderOutputs(config),
  });
}

/**
 * The bytes of `model.onnx`. Inputs: `input_ids`, `attention_mask`, `position_ids` (int64), `num_logits_to_keep` (int64,
 * 0 for all), `past_key_values.N.key|value` [batch, kvHeads, past, headDim]; outputs: `logits`, `present.N.key|value`.
 * Batches may be padded on the left. Memory: the file once, and one tensor at a time.
 * @param arrays by Hugging Face name, in Hugging Face's layout
 * @throws RangeError where the file would be larger than 2 GB, the most that one ONNX file can hold.
 */
export function exportOnnx(config: ModelConfig, arrays: WeightArrays, options: OnnxOptions = {}): Uint8Array {
  const file = laidOut(config, arrays, options);
  const bytes = new Uint8Array(file.byteLength);
  for (const _ of file.write(bytes));
  return bytes;
}

/** Like `exportOnnx`, for a page that must stay responsive. */
export async function exportOnnxPausing(
  config: ModelConfig,
  arrays: WeightArrays,
  pause: ExportPause,
  options: OnnxOptions = {},
): Promise<Uint8Array> {
  const file = laidOut(config, arrays, options);
  const bytes = new Uint8Array(file.byteLength);
  for (const done of file.write(bytes)) await pause(done, file.byteLength);
  return bytes;
}

function cacheValues(config: ModelConfig, positions: string, which: 'past' | 'present'): Value[] {
  const shape = ['batch_size', config.kvHeads, positions, config.headDim];
  return Array.from({ length: config.layers }, (_, layer) =>
    cacheNames(layer).map((names): Value => ({ name: names[which], type: 'float32', shape })),
  ).flat();
}

/** transformers.js makes empty caches from these shapes: it knows `batch_size`, every other name stands for 0. */
export function decoderInputs(config: ModelConfig): Value[] {
  return [
    { name: 'input_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    { name: 'attention_mask', type: 'int64', shape: ['batch_size', 'total_sequence_length'] },
    { name: 'position_ids', type: 'int64', shape: ['batch_size', 'sequence_length'] },
    // How many of the last positions get logits; 0 for all.
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
