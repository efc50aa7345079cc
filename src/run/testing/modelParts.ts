/** The parts of a checkpoint of a model that no run has changed: for tests of what is written of them. */
import type { LoadedModel, AdapterParts } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';

export function modelParts(model: LoadedModel, adapter: AdapterParts | null = null): CheckpointParts {
  return {
    model,
    adapter,
    optimizer: null,
    reference: null,
    runConfig: null,
    trainerState: null,
    customTasks: [],
    metrics: [],
    evaluations: [],
  };
}
