/** A model in memory as ONNX. */
import { contentOf, type ModelConfig, storedInMemory, type WeightArrays } from '@rl-playground/engine/parts';
import { ONNX_FILE, onnxFiles, type OnnxOptions } from '../onnx/export.ts';

/** The bytes of `model.onnx`. */
export async function exportOnnx(
  config: ModelConfig,
  arrays: WeightArrays,
  options: Pick<OnnxOptions, 'weightType'> = {},
): Promise<Uint8Array> {
  const file = onnxFiles(config, storedInMemory(arrays), options).get(ONNX_FILE);
  if (!file) throw new Error('There is no graph.');
  return contentOf(file);
}
