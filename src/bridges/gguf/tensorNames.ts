/** llama.cpp's names for the tensors of a model, and its order of their rows. */
import {
  type ModelConfig,
  type StoredTensor,
  ModelFileError,
  partsBeyondLlama,
} from '@rl-playground/engine/parts';
import { withRows } from './ggufFile.ts';
import NAMES from './tensorNames.json' with { type: 'json' };

/** llama.cpp's name of an architecture; its Llama serves Mistral, too. @throws ModelFileError for one that it computes differently. */
export function architectureOf(config: ModelConfig): string {
  const { modelType, mlp } = config;
  if (mlp === 'relu')
    throw new ModelFileError(
      `GGUF: llama.cpp's "${modelType}" squares what ReLU leaves, and this model does not. Export it as ONNX, or for transformers.`,
    );
  const parts = partsBeyondLlama(config);
  if (parts.length > 0)
    throw new ModelFileError(
      `GGUF: this ${modelType} model has ${parts.join(', ')}, which is not written yet. Export it for transformers.`,
    );
  return modelType === 'mistral' ? 'llama' : modelType;
}

const WHOLE: Readonly<Record<string, string>> = NAMES.whole;
const IN_LAYER: Readonly<Record<string, string>> = NAMES.inLayer;

/** llama.cpp's name of a module: `model.layers.3.mlp.up_proj` becomes `blk.3.ffn_up`. */
export function ggufModule(module: string): string {
  const [, layer, part] = /^model\.layers\.(\d+)\.(.+)$/.exec(module) ?? [];
  const name = part === undefined ? WHOLE[module] : IN_LAYER[part];
  if (name === undefined) throw new Error(`GGUF has no name for ${module}.`);
  return layer === undefined ? name : `blk.${layer}.${name}`;
}

/**
 * Reorders the rows of queries and keys for llama.cpp's Llama, which turns pairs of neighbours by RoPE where Hugging Face's turns the two halves
 * of a head. It turns Qwen's by halves, too.
 */
export function orderedRows(config: ModelConfig, module: string, tensor: StoredTensor): StoredTensor {
  if (architectureOf(config) !== 'llama' || !/\.(q|k)_proj$/.test(module)) return tensor;
  const { headDim } = config;
  return withRows(tensor, (row) => {
    const within = row % headDim;
    return row - within + (within % 2) * (headDim / 2) + Math.floor(within / 2);
  });
}
