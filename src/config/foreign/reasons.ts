/** Keys of other systems' configurations that have no meaning here, with the reason: RL for Real's and TRL's, and the Tinker cookbook's. */

const PRECISION = 'weights are kept in 32 bits; generatorPrecision says how they travel';
const MEMORY = 'memory is set by microBatchTokens';
const LOGGING = 'every step is logged, on the page and in the run directory';
const PLACES = 'runs have no names here; --out chooses the folder';
const CHECKPOINTS = 'all checkpoints of a run directory are kept';
const RESUMING = 'a run goes on from a checkpoint that is loaded on the page';
const EVALUATION = 'the fixed evaluation is the one there is; see fixed_eval_steps';
const PROMPTS = 'prompts are never cut';
const VLLM = 'answers come from this page’s own generators, not from vLLM';
const MACHINES = 'there is one trainer, in the page';
const HUB = 'nothing leaves the machine';
const LOADING = 'the model is one of those beside the page';
const FILTERS = 'sampling has temperature, top-p and top-k alone';

const TRL_REASONS: Readonly<Record<string, string>> = {
  bf16: PRECISION,
  fp16: PRECISION,
  tf32: PRECISION,
  torch_dtype: PRECISION,
  dtype: PRECISION,
  gradient_checkpointing: MEMORY,
  gradient_checkpointing_kwargs: MEMORY,
  auto_find_batch_size: MEMORY,
  report_to: LOGGING,
  logging_steps: LOGGING,
  logging_first_step: LOGGING,
  logging_strategy: LOGGING,
  logging_dir: LOGGING,
  log_completions: LOGGING,
  num_completions_to_print: LOGGING,
  log_reward_variance: 'variance of rewards and answers is always measured',
  verbose_variance_logging: '--verbose and the page show the answers of a step',
  eval_num_examples_to_print: '--verbose and the page show the answers of an evaluation',
  output_dir: PLACES,
  run_name: PLACES,
  overwrite_output_dir: PLACES,
  save_total_limit: CHECKPOINTS,
  save_only_model: CHECKPOINTS,
  save_safetensors: CHECKPOINTS,
  auto_resume: RESUMING,
  resume_from_checkpoint: RESUMING,
  checkpoint_path: RESUMING,
  eval_only: 'the page evaluates without training by its Evaluate button',
  eval_strategy: EVALUATION,
  eval_steps: EVALUATION,
  eval_delay: EVALUATION,
  eval_on_start: EVALUATION,
  do_train: EVALUATION,
  do_eval: EVALUATION,
  per_device_eval_batch_size: 'generators choose their own batch for evaluation',
  num_train_epochs: 'max_steps says how long the run is',
  batch_counts_as_step: 'a step here is a batch of answers, whatever number of updates it gives',
  max_prompt_length: PROMPTS,
  attn_implementation: 'the page has its own attention kernels',
  model_revision: LOADING,
  trust_remote_code: LOADING,
  load_in_4bit: LOADING,
  load_in_8bit: LOADING,
  lora_dropout: 'LoRA has no dropout here',
  use_rslora: 'LoRA is scaled by α / rank',
  lora_task_type: 'the model is a causal language model',
  lora_modules_to_save: 'LoRA trains its factors alone',
  min_p: FILTERS,
  repetition_penalty: FILTERS,
  generation_kwargs: FILTERS,
  cache_implementation: FILTERS,
  top_entropy_quantile: 'all tokens of an answer are trained on',
  use_liger_kernel: 'the page has its own kernels',
  use_liger_loss: 'the page has its own kernels',
  use_bias_correction_kl: 'the KL term is not weighed by the ratio here',
  ref_model_mixup_alpha: 'the reference becomes a copy of the policy, without mixing',
  disable_dropout: 'there is no dropout',
  shuffle_dataset: 'problems are drawn at random and do not run out',
  dataset_size: 'problems are drawn at random and do not run out',
  dataset_seed: 'seed decides the problems',
  data_seed: 'seed decides the problems',
  full_determinism: 'the same seed repeats a run',
  remove_unused_columns: 'problems are no table here',
  lr_scheduler_kwargs: 'transformers takes the warm-up from warmup_ratio or warmup_steps for this schedule',
  optim_args: 'the optimizer is AdamW',
  ddp_timeout: MACHINES,
  local_rank: MACHINES,
  deepspeed: MACHINES,
  use_cpu: 'the backend is chosen on the page or by --backend',
};

const TRL_PREFIXES: readonly (readonly [prefix: string, reason: string])[] = [
  ['vllm_', VLLM],
  ['use_vllm', VLLM],
  ['fsdp', MACHINES],
  ['ddp_', MACHINES],
  ['dataloader_', MACHINES],
  ['hub_', HUB],
  ['push_to_hub', HUB],
  ['wandb', LOGGING],
  ['mlflow', LOGGING],
  ['bnb_', LOADING],
  ['torch_compile', 'the page has its own kernels'],
];

/** The keys that are told by their whole name. */
export const MEANINGLESS_KEYS: readonly string[] = Object.keys(TRL_REASONS);

/** Why a key has no meaning here; null for a key that is not known at all. */
export function trlReason(key: string): string | null {
  if (Object.hasOwn(TRL_REASONS, key)) return TRL_REASONS[key] ?? null;
  return TRL_PREFIXES.find(([prefix]) => key.startsWith(prefix))?.[1] ?? null;
}

const BROKEN_ANSWERS = 'an answer that breaks is counted and asked again';
const SAVING = 'checkpoints follow save_steps and are kept';

const TINKER_REASONS: Readonly<Record<string, string>> = {
  base_url: 'nothing leaves the machine',
  behavior_if_log_dir_exists: 'a folder that holds a run is never written over',
  dataset_builder: 'task and task_config say what is asked',
  enable_trace: 'times per stage are among the metrics',
  evaluator_builders: 'evaluation asks held-out problems of the same task',
  kl_reference_config: 'kl_reference says what the KL divergence is measured against',
  load_checkpoint_path: 'a run goes on from a checkpoint that is loaded on the page',
  log_path: PLACES,
  num_groups_to_log: LOGGING,
  recipe_name: PLACES,
  rolling_save_every: SAVING,
  rolling_ttl: SAVING,
  rollout_error_tolerance: BROKEN_ANSWERS,
  rollout_json_export: LOGGING,
  span_chart_every: 'times per stage are among the metrics',
  termination: 'mask_truncated leaves out answers that were cut',
  ttl_seconds: SAVING,
  user_metadata: PLACES,
  wandb_name: LOGGING,
  wandb_project: LOGGING,
};

/** Why a setting of the cookbook has no meaning here; null for any other name. */
export function tinkerReason(name: string): string | null {
  const [head = ''] = name.split('.');
  return Object.hasOwn(TINKER_REASONS, head) ? (TINKER_REASONS[head] ?? null) : null;
}
