/** A run's merged model as the folder that transformers.js loads. */
import { onnxFiles } from './export.ts';
import { onnxFolder } from './folder.ts';
import { ModelFileError, type OpenFile, type StoredWeights } from '@rl-playground/engine/parts';
import { type CheckpointParts, mergedModel } from '@rl-playground/run/checkpoint';
import type { WeightType } from '@rl-playground/run/export';

/** The files by path. The type `base` is F16 for a base that is stored so, else F32. @throws ModelFileError for BF16, which onnxruntime lacks. */
export function onnxExport(
  parts: Pick<CheckpointParts, 'model' | 'adapter'>,
  type: WeightType,
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
