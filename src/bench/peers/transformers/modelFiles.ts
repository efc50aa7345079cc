/** A model as the files that transformers.js asks for, in memory. */
import { exportOnnx } from '../../../hub/onnx/export.ts';
import type { ModelConfig } from '../../../model/config.ts';
import type { HostModel } from '../../participants/model.ts';

const bytesOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The fields of config.json that transformers.js reads: cache shapes and the class of the model. */
function configFile(config: ModelConfig): object {
  const classes = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' };
  return {
    architectures: [classes[config.modelType]],
    model_type: config.modelType,
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    intermediate_size: config.mlpSize,
    max_position_embeddings: config.maxPositions,
  };
}

/** By path inside the model's folder. No token ends a completion: every one gets its full length. */
export function transformersFiles({ config, weights }: HostModel): ReadonlyMap<string, Uint8Array> {
  return new Map([
    ['config.json', bytesOf(configFile(config))],
    ['generation_config.json', bytesOf({ eos_token_id: null })],
    ['onnx/model.onnx', exportOnnx(config, weights)],
  ]);
}
