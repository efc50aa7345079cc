/** The configuration of TRL besides the settings of the run. */
import type { Fields, HandoffRun } from '../settings/fate.ts';

/** The fields that make TRL compute as this program does: in 32 bits, without running forward passes twice, on rows in their order. */
export const TRL_FIXED: Fields = {
  output_dir: 'out',
  bf16: false,
  fp16: false,
  gradient_checkpointing: false,
  optim: 'adamw_torch',
  num_generations_eval: 1,
  remove_unused_columns: false,
  logging_steps: 1,
  report_to: 'none',
};

/** The facts that `train.py` needs and `GRPOConfig` has no field for. */
export function trainFacts(
  { config, step, updates, answers, reduction, model, adapter }: HandoffRun,
  modelRevision: string | null,
) {
  return {
    model,
    revision: modelRevision,
    adapter,
    reference: config.klBeta > 0 ? config.klReference : null,
    learning_rate: {
      peak: config.learningRate,
      kind: config.lrSchedule,
      warmup_steps: config.warmupSteps,
      total_steps: config.numSteps,
      steps_made: step,
      updates_per_step: updates,
    },
    // TRL has no plain sum: the loss that it divides by answers and longest length is multiplied by both.
    loss_scale: reduction === 'sum' ? (answers / updates) * config.ppoEpochs * config.maxTokens : 1,
    optimizer: 'optimizer.safetensors',
  };
}
