/** A run's model in the files of another program. Each format's code is loaded when it is asked for. */
import type { OpenFile, StoredWeights } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../../run/checkpoint/checkpointParts.ts';
import type { ExportFormat, WeightType } from '../../run/export/exportTypes.ts';

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly type: WeightType;
  /** The weights that the run began from, for `type` `base`. */
  readonly base: StoredWeights;
}

/**
 * The files by path, whose bytes are calculated as they are read. Reading one throws a RangeError where a number is beyond the type.
 * @throws ModelFileError where the run has nothing of that format.
 */
export async function exportFiles(
  parts: CheckpointParts,
  { format, type, base }: ExportOptions,
): Promise<Map<string, OpenFile>> {
  switch (format) {
    case 'merged':
      return (await import('../../run/export/mergedFolder.ts')).mergedFolder(parts, type, base);
    case 'peft':
      return (await import('../../run/export/peftFolder.ts')).peftFolder(parts, type, base);
    case 'onnx':
      return (await import('../onnx/onnxExport.ts')).onnxExport(parts, type, base);
    case 'gguf':
      return (await import('../gguf/ggufExport.ts')).ggufExport(parts, type, base);
  }
}
