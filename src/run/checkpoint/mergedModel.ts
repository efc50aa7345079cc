/** The model that a checkpoint is of, where its adapter lies beside a base. */
import { type LoadedModel, withStoredWeights } from '@rl-playground/engine/parts';
import { mergedTensors } from '@rl-playground/engine/parts/tensors';
import type { CheckpointParts } from './checkpointParts.ts';

/** Merges an adapter that has only a base beside it into that base. Changed tensors are calculated when they are read, as F32. */
export function mergedModel({ model, adapter }: Pick<CheckpointParts, 'model' | 'adapter'>): LoadedModel {
  if (adapter === null || adapter.base !== null) return model;
  return withStoredWeights(model, mergedTensors(model.config, model.weights, adapter));
}
