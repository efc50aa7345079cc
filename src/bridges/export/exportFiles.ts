/** Writes a run's model for another program. The code of ONNX and GGUF is loaded when it is asked for. */
import {
  isNumberExport,
  mergedFolder,
  peftFolder,
  type ExportFormat,
  type WeightType,
} from '@rl-playground/run/export';
import { ModelFileError, type OpenFile, type StoredWeights } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '@rl-playground/run/checkpoint';

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly type: WeightType;
  /** The weights from which the run began, for the type `base`. */
  readonly base: StoredWeights;
}

/**
 * The files by path, whose bytes are calculated as they are read. Reading one throws a RangeError for a number beyond the type.
 * @throws ModelFileError if the run has nothing of that format.
 */
export async function exportFiles(
  parts: CheckpointParts,
  { format, type, base }: ExportOptions,
): Promise<Map<string, OpenFile>> {
  if (format === 'gguf') return (await import('../gguf/export.ts')).ggufExport(parts, type, base);
  if (!isNumberExport(type))
    throw new ModelFileError(
      `${type} is a type of GGUF files, and this is an export as ${format}. Choose F32, F16, BF16 or the base's type, or the format gguf.`,
    );
  switch (format) {
    case 'merged':
      return mergedFolder(parts, type, base);
    case 'peft':
      return peftFolder(parts, type, base);
    case 'onnx':
      return (await import('../onnx/export.ts')).onnxExport(parts, type, base);
  }
}
