/** A run's model as files of llama.cpp: the merged one and, under LoRA, the adapter, which can be swapped in beside its base. */
import { adapterGguf, modelGguf } from './export.ts';
import { openBytes, type OpenFile, type StoredWeights } from '@rl-playground/engine/parts';
import { type CheckpointParts, mergedModel } from '@rl-playground/run/checkpoint';
import { exportCard, type WeightType } from '@rl-playground/run/export';

/** The files by path. @throws ModelFileError for a tokenizer that llama.cpp does not know. */
export function ggufExport(
  parts: CheckpointParts,
  type: WeightType,
  base: StoredWeights,
): Map<string, OpenFile> {
  const stored = type === 'base' ? ([...base.values()][0]?.dtype ?? 'F32') : type;
  const files = new Map([['model.gguf', modelGguf(mergedModel(parts), stored)]]);
  if (parts.adapter) files.set('adapter.gguf', adapterGguf(parts.model.config, parts.adapter));
  return files.set('README.md', openBytes(new TextEncoder().encode(exportCard(parts, 'gguf'))));
}
