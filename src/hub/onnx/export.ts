/** A model as one ONNX file, graph and weights, as transformers.js and onnxruntime load it. */
import type { ModelConfig } from '../../model/config.ts';
import type { WeightArrays } from '../../model/weights.ts';
import { Decoder, OPSET } from './decoder.ts';
import { GraphBuilder } from './graphBuilder.ts';
import { ModelFile } from './messages.ts';
import { decoderInputs, decoderOutputs } from './signature.ts';
import { WeightConstants, type WeightType } from './weightConstants.ts';

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
