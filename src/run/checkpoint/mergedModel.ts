/** The model that a checkpoint is of, where its adapter lies beside a base. */
import type { LoadedModel } from '../../hub/types.ts';
import { packPeft } from '../../model/adapter.ts';
import { mergedConfig } from '../../model/lora.ts';
import { mergeAdapter } from '../../model/mergeAdapter.ts';
import { widened } from '../../model/storedWeights.ts';
import { packArrays, unpackArrays } from '../../model/weights.ts';
import type { CheckpointParts } from './checkpointParts.ts';
import { withWeights } from './modelFiles.ts';

/** With an adapter that has only a base beside it merged into that, as f32. */
export async function mergedModel({
  model,
  adapter,
}: Pick<CheckpointParts, 'model' | 'adapter'>): Promise<LoadedModel> {
  if (adapter === null || adapter.base !== null) return model;
  const { config } = model;
  const { settings, arrays } = adapter;
  const base = packArrays(config, await widened(model.weights));
  const merged = mergeAdapter(config, base, packPeft(config, settings, arrays), settings);
  return withWeights(model, unpackArrays(mergedConfig(config, settings), merged));
}
