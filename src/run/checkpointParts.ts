/** What a checkpoint is made of, in memory. */
import type { RunConfig } from '../config/schema.ts';
import type { LoadedModel, WeightArrays } from '../hub/types.ts';
import type { LoraSettings } from '../model/lora.ts';
import type { EvalResult, StepMetrics } from '../rl/types.ts';
import type { OwnTask } from '../tasks/own/definition.ts';
import type { OptimizerState } from './optimizerFile.ts';
import type { TrainerState } from './runRecords.ts';

export interface CheckpointParts {
  /** With the weights at hand. */
  readonly model: LoadedModel;
  readonly optimizer: OptimizerState | null;
  /** Under LoRA: the factors by PEFT's names, and the weights that they are trained beside; the model's own are the two merged. */
  readonly adapter: {
    readonly settings: LoraSettings;
    readonly arrays: WeightArrays;
    readonly base: WeightArrays;
  } | null;
  /** The policy at the start of the run, Hugging Face's layout. */
  readonly reference: WeightArrays | null;
  readonly runConfig: RunConfig | null;
  readonly trainerState: TrainerState | null;
  /** The person's own tasks that the run asks. */
  readonly ownTasks: readonly OwnTask[];
  readonly metrics: readonly StepMetrics[];
  readonly evaluations: readonly EvalResult[];
}
