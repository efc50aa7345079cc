/** The files that sessions begin from. */
import type { LoadedModel } from '@rl-playground/engine/parts';
import type { CheckpointParts } from '../checkpoint/checkpointParts.ts';

/** The files of one session. `CheckpointParts` are such. */
export type SessionStart = Omit<CheckpointParts, 'runConfig'>;

export function freshStart(model: LoadedModel): SessionStart {
  return {
    model,
    optimizer: null,
    adapter: null,
    reference: null,
    trainerState: null,
    customTasks: [],
    metrics: [],
    evaluations: [],
  };
}
