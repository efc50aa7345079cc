/** A run's model as one that needs no adapter, as a folder that transformers and others load. */
import { jsonBytes } from '@rl-playground/base/json';
import {
  openBytes,
  safetensorsFile,
  type LoadedModel,
  type OpenFile,
  storedAs,
  numberTypeOf,
  type NumberType,
  type StoredWeights,
  WEIGHT_FILES,
  withStoredWeights,
  EMBEDDING,
  HEAD,
} from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';
import { mergedModel } from '../checkpoint/adapterFiles.ts';
import { ownConfig } from '../checkpoint/runSettings.ts';
import { exportCard } from './exportCard.ts';
import type { NumberExport } from './exportTypes.ts';

/**
 * The model of a run with its adapter merged in, whose weights are added in f32 and then rounded to `type`, each where it is read: none of
 * it is in memory as a whole. `base`: the weights that the run began from, for their types.
 */
export function exportedModel(
  parts: Pick<CheckpointParts, 'model' | 'adapter'>,
  type: NumberExport,
  base: StoredWeights,
): LoadedModel {
  const model = mergedModel(parts);
  const typeOf = (name: string): NumberType =>
    type === 'base'
      ? numberTypeOf((base.get(name) ?? base.get(name === HEAD ? EMBEDDING : name))?.dtype ?? 'F32')
      : type;
  const weights = new Map(
    [...model.weights].map(([name, tensor]) => [name, storedAs(name, tensor, typeOf(name))] as const),
  );
  return withStoredWeights(model, weights);
}

/**
 * The files of a folder by path: weights, `config.json` in the spellings of transformers 4 and 5, a model card, and everything else as it
 * came with the model, byte for byte.
 */
export function mergedFolder(
  parts: CheckpointParts,
  type: NumberExport,
  base: StoredWeights,
): Map<string, OpenFile> {
  const model = exportedModel(parts, type, base);
  const files = new Map([...model.sideFiles].map(([name, bytes]) => [name, openBytes(bytes)]));
  const config = ownConfig(model);
  if (config) files.set('config.json', openBytes(jsonBytes(config)));
  files.set(WEIGHT_FILES.single, safetensorsFile(model.weights, { format: 'pt' }));
  return files.set('README.md', openBytes(new TextEncoder().encode(exportCard(parts, 'merged'))));
}
