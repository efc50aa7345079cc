/** A model as one ONNX file, graph and weights, as transformers.js and onnxruntime load it. */
import type { ModelConfig } from '../../model/config.ts';
import type { WeightArrays } from '../types.ts';
import { buildDecoder, decoderInputs, decoderOutputs } from './decoder.ts';
import { GraphBuilder } from './graphBuilder.ts';
import { encodeModel } from './messages.ts';
import { StandardOps } from './standardOps.ts';
import { WeightConstants, type WeightType } from './weightConstants.ts';

export interface OnnxOptions {
  readonly weightType?: WeightType;
}

/**
 * The bytes of `model.onnx`. Inputs: `input_ids`, `attention_mask`, `position_ids`, `num_logits_to_keep`,
 * `past_key_values.N.key|value` [batch, kvHeads, past, headDim]; outputs: `logits`, `present.N.key|value`. Batches may be
 * padded on the left.
 * @throws RangeError where the file would be larger than 2 GB, the most that one ONNX file can hold.
 */
export function exportOnnx(config: ModelConfig, arrays: WeightArrays, options: OnnxOptions = {}): Uint8Array {
  const graph = new GraphBuilder();
  const ops = new StandardOps(graph, config);
  buildDecoder(graph, config, new WeightConstants(graph, arrays, options.weightType ?? 'float32'), ops);
  return encodeModel({
    name: config.modelType,
    irVersion: 8,
    opsets: ops.opsets,
    nodes: graph.nodes,
    initializers: [...graph.initializers.values()],
    inputs: decoderInputs(config),
    outputs: decoderOutputs(config),
  });
}
