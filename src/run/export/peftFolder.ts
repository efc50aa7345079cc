/** A run's LoRA adapter alone, as a folder that PEFT loads beside the model that it was trained on. */
import {
  openBytes,
  PEFT_FILES,
  peftConfigFile,
  safetensorsFile,
  ModelFileError,
  type OpenFile,
  storedAs,
  storedInMemory,
  numberTypeOf,
  type NumberType,
  type StoredWeights,
} from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { exportCard } from './exportCard.ts';
import type { NumberExport } from './exportTypes.ts';

/**
 * The files by path. The base is named as the run found it: `org/name` with its commit, or its folder.
 * @throws ModelFileError where the run trained all weights and has no adapter.
 */
export function peftFolder(
  parts: CheckpointParts,
  type: NumberExport,
  base: StoredWeights,
): Map<string, OpenFile> {
  const { model, adapter } = parts;
  if (adapter === null)
    throw new ModelFileError(
      `${model.name} was trained in all of its weights, so there is no LoRA adapter. Export the merged model instead.`,
    );
  const { settings, arrays } = adapter;
  const stored: NumberType = type === 'base' ? numberTypeOf([...base.values()][0]?.dtype ?? 'F32') : type;
  const tensors = new Map(
    [...storedInMemory(arrays)].map(([name, tensor]) => [name, storedAs(name, tensor, stored)] as const),
  );
  const { name, commit } = model.origin ?? { name: model.name, commit: null };
  return new Map([
    [PEFT_FILES.config, openBytes(peftConfigFile(settings, { name, revision: commit }, model.config))],
    [PEFT_FILES.weights, safetensorsFile(tensors, { format: 'pt' })],
    ['README.md', openBytes(new TextEncoder().encode(exportCard(parts, 'peft')))],
  ]);
}
