/** The parts of a checkpoint in memory, and the error of one that can't be read. */
import type { RunConfig } from '../settings/schema/schema.ts';
import {
  ModelFileError,
  type LoadedModel,
  type WeightArrays,
  type AdapterParts,
  type OptimizerState,
} from '@rl-playground/engine/parts';
import type { SftFile } from '../sft/sftRows.ts';
import type { EvalResult } from '../loop/evaluate.ts';
import type { StepMetrics } from '../metrics/metrics.ts';
import type { CustomTask, TaskRows } from '@rl-playground/tasks/parts';
import type { TrainerState } from './trainerState.ts';

export interface CheckpointParts {
  /** Its weights are the current ones. */
  readonly model: LoadedModel;
  readonly optimizer: OptimizerState | null;
  /** It is null without LoRA. */
  readonly adapter: AdapterParts | null;
  /** The policy at the start of the run, Hugging Face's layout; beside a frozen base its factors, PEFT's. */
  readonly reference: WeightArrays | null;
  /** Weight and bias of the policy's value head; absent where the run has none. */
  readonly valueHead?: WeightArrays;
  readonly runConfig: RunConfig | null;
  /** A sentence for the user, where the settings were recorded under other defaults than those of today. */
  readonly settingsNote?: string;
  readonly trainerState: TrainerState | null;
  /** The user's own tasks that the run asks. */
  readonly customTasks: readonly CustomTask[];
  /** Rows of the tasks that ask a dataset; absent where the run asks none. */
  readonly taskRows?: readonly TaskRows[];
  /** Rows that the run's warm-up learns from; absent where it has none of its own. */
  readonly sftFile?: SftFile;
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}

/** A checkpoint that can't be read. The message is written for the user. */
export class CheckpointError extends ModelFileError {
  override readonly name: string = 'CheckpointError';
}
