/**
 * Names under which users of other systems know a setting. An alias means exactly what the setting means; what has to be
 * converted is read by the importers in `foreign/`.
 */
import type { FieldKey, RunConfig } from './runFields.ts';

export interface Alias {
  readonly key: FieldKey;
  /** Values that have another word there. */
  readonly words?: Readonly<Record<string, string>>;
  /** Settings that the name decides, too: what it says about how the number is read. */
  readonly implies?: Partial<RunConfig>;
  /** A setting that gets the same value, unless it is given by itself. */
  readonly also?: FieldKey;
}

const EPSILON = { clipMeaning: 'epsilon' } as const;
const BOUNDS = { clipMeaning: 'ratio_bounds' } as const;
const ASYNC = { schedule: 'async' } as const;
const STREAM = { schedule: 'stream' } as const;
const CLIP_RANGE: Alias = { key: 'clipLow', also: 'clipHigh', implies: EPSILON };

/** Tinker's settings that are mappings; null there is "none". Their keys are aliases with a dot. */
export const NESTED_NAMES: readonly string[] = ['loss_fn_config', 'async_config', 'stream_minibatch_config'];

export const ALIASES: Readonly<Record<string, Alias>> = {
  // Tinker cookbook
  group_size: { key: 'rolloutsPerProblem' },
  groups_per_batch: { key: 'problemsPerStep' },
  batch_size: { key: 'problemsPerStep' },
  loss_fn: { key: 'loss' },
  clip_low_threshold: { key: 'clipLow', implies: BOUNDS },
  clip_high_threshold: { key: 'clipHigh', implies: BOUNDS },
  remove_constant_reward_groups: { key: 'removeConstantGroups' },
  model_name: { key: 'model' },
  renderer_name: { key: 'renderer' },
  save_every: { key: 'saveSteps' },
  env: { key: 'task', words: { arithmetic: 'tinker_arithmetic' } },
  'loss_fn_config.clip_low_threshold': { key: 'clipLow', implies: BOUNDS },
  'loss_fn_config.clip_high_threshold': { key: 'clipHigh', implies: BOUNDS },
  'loss_fn_config.beta': { key: 'droBeta' },
  'async_config.max_steps_off_policy': { key: 'maxStepsOffPolicy', implies: ASYNC },
  'async_config.groups_per_batch': { key: 'problemsPerStep', implies: ASYNC },
  'stream_minibatch_config.num_minibatches': { key: 'numMinibatches', implies: STREAM },
  'stream_minibatch_config.groups_per_batch': { key: 'problemsPerStep', implies: STREAM },

  // TRL and RL for Real
  num_generations: { key: 'rolloutsPerProblem' },
  max_completion_length: { key: 'maxTokens' },
  max_new_tokens: { key: 'maxTokens' },
  max_steps: { key: 'numSteps' },
  num_iterations: { key: 'ppoEpochs' },
  loss_type: { key: 'loss' },
  beta: { key: 'klBeta' },
  epsilon: CLIP_RANGE,
  epsilon_high: { key: 'clipHigh', implies: EPSILON },
  delta: { key: 'clipDelta' },
  importance_sampling_level: { key: 'ratioLevel' },
  mask_truncated_completions: { key: 'maskTruncated' },
  scale_rewards: { key: 'advantageScale', words: { true: 'group', false: 'none' } },
  max_grad_norm: { key: 'clipNorm' },
  adam_epsilon: { key: 'adamEps' },
  lr_scheduler_type: { key: 'lrSchedule', words: { constant_with_warmup: 'constant' } },
  lora_r: { key: 'loraRank' },
  fixed_eval_steps: { key: 'evalEvery' },
  eval_num_samples: { key: 'evalSamples' },

  // simplexity RLVR
  cliprange: CLIP_RANGE,
};
