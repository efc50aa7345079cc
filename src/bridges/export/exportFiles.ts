/** A run's model in the files of another program. The code of ONNX and GGUF is loaded when it is asked for. */
import { mergedFolder, peftFolder, type ExportFormat, type WeightType } from '@rl-playground/run/export';
import type { OpenFile, StoredWeights } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '@rl-playground/run/checkpoint';

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly type: WeightType;
  /** The weights that the run began from, for `type` `base`. */
  readonly base: StoredWeights;
}

/**
 * The files by path; their bytes are calculated while they are read. Reading one throws a RangeError if a number is beyond the type.
 * @throws ModelFileError if the run has nothing of that format.
 */
export async function exportFiles(
  parts: CheckpointParts,
  { format, type, base }: ExportOptions,
): Promise<Map<string, OpenFile>> {
  switch (format) {
    case 'merged':
      return mergedFolder(parts, type, base);
    case 'peft':
      return peftFolder(parts, type, base);
    case 'onnx':
      return (await import('../onnx/onnxExport.ts')).onnxExport(parts, type, base);
    case 'gguf':
      return (await import('../gguf/ggufExport.ts')).ggufExport(parts, type, base);
  }
}
