/** Keys of other systems' configurations that have no meaning here, by the reason: RL for Real's and TRL's, and the Tinker cookbook's. */
import { words } from './reader.ts';

/** Keys with spaces between them. One that ends in a star means all that begin so. */
type KeysByReason = Readonly<Record<string, string>>;

const TRL: KeysByReason = {
  'weights are kept in 32 bits; generatorPrecision says how they travel':
    'bf16 fp16 tf32 torch_dtype dtype bf16_full_eval fp16_full_eval cast_lm_head_to_fp32 mixed_precision',
  'memory is set by microBatchTokens':
    'gradient_checkpointing* auto_find_batch_size torch_empty_cache_steps eval_accumulation_steps',
  'every step is logged, on the page and in the run directory':
    'report_to logging_steps logging_first_step logging_strategy logging_dir log_completions* log_level* log_on_each_node log_multimodal log_unique_prompts project project_name logging_nan_inf_filter num_completions_to_print disable_tqdm include_num_input_tokens_seen wandb* mlflow* trackio*',
  'variance of rewards and answers is always measured': 'log_reward_variance',
  '--verbose and the page show the answers of a step': 'verbose_variance_logging',
  '--verbose and the page show the answers of an evaluation': 'eval_num_examples_to_print',
  '--out chooses the folder, and npx rl-playground track names a run by it':
    'output_dir run_name overwrite_output_dir',
  'all checkpoints of a run directory are kept':
    'save_total_limit save_only_model save_safetensors save_on_each_node enable_jit_checkpoint',
  'the page keeps the best model of a run beside the last':
    'load_best_model_at_end metric_for_best_model greater_is_better',
  'a run goes on from a checkpoint that is loaded on the page':
    'auto_resume resume_from_checkpoint checkpoint_path ignore_data_skip restore_callback_states_from_checkpoint',
  'the page evaluates without training by its Evaluate button': 'eval_only',
  'evaluations are before the first step, behind the last and as often between as eval_steps or fixed_eval_steps says':
    'eval_delay eval_on_start eval_do_concat_batches eval_use_gather_object batch_eval_metrics include_for_metrics prediction_loss_only do_train do_eval do_predict',
  'an evaluation asks each problem once and greedily, and pass_at_k more often': 'num_generations_eval',
  'generators choose their own batch for evaluation': 'per_device_eval_batch_size',
  'max_steps says how long the run is': 'num_train_epochs',
  'a step here is a batch of answers, whatever number of updates it gives': 'batch_counts_as_step',
  'prompts are never cut': 'max_prompt_length',
  'the page has its own attention kernels': 'attn_implementation',
  'the model is one of those beside the page':
    'model_revision model_init_kwargs trust_remote_code load_in_4bit load_in_8bit bnb_* use_bnb_nested_quant',
  'models with experts are not trained here': 'router_aux_loss_coef',
  'thinking says whether a chat template is asked for thoughts': 'chat_template_kwargs',
  'answers have no tools': 'max_tool_calling_iterations',
  'task says what is asked, and rows of a data set come by --data':
    'dataset_name dataset_path eval_dataset_path dataset_config dataset_train_split dataset_test_split dataset_streaming reward_funcs reward_model_name_or_path',
  'LoRA has no dropout here': 'lora_dropout',
  'LoRA is scaled by α / rank': 'use_rslora use_dora',
  'lora_target_modules names what LoRA adapts': 'lora_target_parameters',
  'the model is a causal language model': 'lora_task_type',
  'LoRA trains its factors alone': 'lora_modules_to_save',
  'sampling has temperature, top-p, top-k, min-p and a repetition penalty alone':
    'generation_kwargs cache_implementation',
  'generators choose their own batch and cache':
    'use_cache use_transformers_paged use_transformers_continuous_batching transformers_continuous_batching_config',
  'the page has its own kernels': 'use_liger_kernel use_liger_loss liger_kernel_config torch_compile*',
  'the entropy bonus has one weight for the whole run, entropy_coef':
    'use_adaptive_entropy entropy_coef_min entropy_coef_max entropy_coef_delta entropy_target',
  'there is no dropout': 'disable_dropout',
  'the loss is that of reinforcement alone': 'label_smoothing_factor neftune_noise_alpha',
  'problems are drawn at random and do not run out': 'shuffle_dataset dataset_size',
  'seed decides the problems': 'dataset_seed data_seed',
  'the same seed repeats a run': 'full_determinism',
  'problems are no table here':
    'remove_unused_columns label_names length_column_name train_sampling_strategy',
  'sequences are padded to the longest of a microbatch': 'pad_to_multiple_of',
  'a schedule has no arguments here; the warm-up is that of warmup_ratio or warmup_steps':
    'lr_scheduler_kwargs',
  'the optimizer is AdamW': 'optim_args optim_target_modules',
  'there is one trainer, in the page':
    'local_rank deepspeed fsdp* ddp_* dataloader_* ds3_gather_for_generation accelerator_config accelerate_config num_processes num_machines machine_rank main_process* gpu_ids multi_gpu parallelism_config average_tokens_across_devices ignore_bias_buffers',
  'measurements are npm run lab -- bench and the metrics of a step': 'debug skip_memory_metrics',
  'the backend is chosen on the page or by --backend': 'use_cpu',
  'answers come from this page’s own generators, not from vLLM': 'vllm_* use_vllm*',
  'nothing leaves the machine': 'hub_* push_to_hub*',
};

const TINKER: KeysByReason = {
  'nothing leaves the machine': 'base_url',
  'a folder that holds a run is never written over': 'behavior_if_log_dir_exists',
  'task and task_config say what is asked': 'dataset_builder',
  'times per stage are among the metrics': 'enable_trace span_chart_every',
  'evaluation asks held-out problems of the same task': 'evaluator_builders',
  'kl_reference says what the KL divergence is measured against': 'kl_reference_config',
  'a run goes on from a checkpoint that is loaded on the page': 'load_checkpoint_path',
  'runs have no names here; --out chooses the folder': 'log_path recipe_name user_metadata',
  'every step is logged, on the page and in the run directory': 'num_groups_to_log rollout_json_export',
  'npx rl-playground track sends a run to W&B, during it or afterwards; nothing is sent without it':
    'wandb_name wandb_project',
  'checkpoints follow save_steps and are kept':
    'rolling_save_every rolling_ttl rolling_ttl_seconds ttl_seconds',
  'an answer that breaks is counted and asked again': 'rollout_error_tolerance',
  'mask_truncated leaves out answers that were cut': 'termination',
};

const reasonsByKey = (table: KeysByReason): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table).flatMap(([reason, keys]) => words(keys).map((key) => [key, reason] as const)),
  );

const TRL_REASONS = reasonsByKey(TRL);
const TINKER_REASONS = reasonsByKey(TINKER);

/** The keys without a meaning that are known by their whole name. */
export const MEANINGLESS_KEYS: readonly string[] = [...TRL_REASONS.keys()].filter(
  (key) => !key.endsWith('*'),
);

/** The reason why a key has no meaning here; null for a key that is not known at all. */
export function trlReason(key: string): string | null {
  const begins = ([known]: readonly [string, string]) =>
    known.endsWith('*') && key.startsWith(known.slice(0, -1));
  return TRL_REASONS.get(key) ?? [...TRL_REASONS].find(begins)?.[1] ?? null;
}

/** The reason why a setting of the cookbook has no meaning here; null for any other name. */
export function tinkerReason(name: string): string | null {
  return TINKER_REASONS.get(name.split('.')[0] ?? '') ?? null;
}
