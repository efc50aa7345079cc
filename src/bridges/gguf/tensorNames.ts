/** llama.cpp's name of an architecture. */
import { type ModelConfig, ModelFileError } from '@rl-playground/engine/parts';

/** llama.cpp's name; its Llama serves Mistral, too. @throws ModelFileError for one that it computes differently. */
export function architectureOf({ modelType, mlp }: ModelConfig): string {
  if (mlp === 'relu')
    throw new ModelFileError(
      `GGUF: llama.cpp's "${modelType}" squares what ReLU leaves, and this model does not. Export it as ONNX, or for transformers.`,
    );
  return modelType === 'mistral' ? 'llama' : modelType;
}
