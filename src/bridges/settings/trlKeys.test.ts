import { expect, test } from 'vitest';
import { readSettings } from './read.ts';
import { keyOfName } from '@rl-playground/run/settings';
import { isTrlKey } from './trl.ts';
import { trlReason } from './reasons.ts';

/** The fields of TRL 1.13's GRPOConfig, ModelConfig and ScriptArguments, which a file for `trl grpo` may state. */
const KEYS = `
  output_dir per_device_train_batch_size num_train_epochs max_steps learning_rate lr_scheduler_type
  lr_scheduler_kwargs warmup_steps optim optim_args weight_decay adam_beta1 adam_beta2 adam_epsilon
  optim_target_modules gradient_accumulation_steps average_tokens_across_devices max_grad_norm
  label_smoothing_factor bf16 fp16 bf16_full_eval fp16_full_eval tf32 gradient_checkpointing
  gradient_checkpointing_kwargs torch_compile torch_compile_backend torch_compile_mode use_liger_kernel
  liger_kernel_config use_cache neftune_noise_alpha torch_empty_cache_steps auto_find_batch_size
  logging_strategy logging_steps logging_first_step log_on_each_node logging_nan_inf_filter
  include_num_input_tokens_seen log_level log_level_replica disable_tqdm report_to run_name project
  trackio_space_id trackio_bucket_id trackio_static_space_id eval_strategy eval_steps eval_delay
  per_device_eval_batch_size prediction_loss_only eval_on_start eval_do_concat_batches eval_use_gather_object
  eval_accumulation_steps include_for_metrics batch_eval_metrics save_only_model save_strategy save_steps
  save_on_each_node save_total_limit enable_jit_checkpoint push_to_hub hub_token hub_private_repo hub_model_id
  hub_strategy hub_always_push hub_revision load_best_model_at_end metric_for_best_model greater_is_better
  ignore_data_skip restore_callback_states_from_checkpoint full_determinism seed data_seed use_cpu
  accelerator_config parallelism_config dataloader_drop_last dataloader_num_workers dataloader_pin_memory
  dataloader_persistent_workers dataloader_prefetch_factor dataloader_multiprocessing_context
  dataloader_in_order remove_unused_columns label_names train_sampling_strategy length_column_name
  ddp_find_unused_parameters ddp_bucket_cap_mb ddp_broadcast_buffers ddp_static_graph ddp_backend ddp_timeout
  fsdp fsdp_config deepspeed debug skip_memory_metrics do_train do_eval do_predict resume_from_checkpoint
  local_rank model_init_kwargs trust_remote_code router_aux_loss_coef disable_dropout cast_lm_head_to_fp32
  num_generations num_generations_eval max_completion_length ds3_gather_for_generation shuffle_dataset
  pad_to_multiple_of generation_batch_size steps_per_generation temperature top_p top_k min_p generation_kwargs
  chat_template_kwargs repetition_penalty cache_implementation use_vllm vllm_mode vllm_model_impl
  vllm_enable_sleep_mode vllm_structured_outputs_regex vllm_server_base_url vllm_server_host vllm_server_port
  vllm_server_timeout vllm_group_port vllm_gpu_memory_utilization vllm_max_model_length
  vllm_tensor_parallel_size beta num_iterations epsilon delta epsilon_high sapo_temperature_neg
  sapo_temperature_pos vespo_k_pos vespo_lambda_pos vespo_k_neg vespo_lambda_neg importance_sampling_level
  reward_weights multi_objective_aggregation scale_rewards loss_type mask_truncated_completions sync_ref_model
  ref_model_mixup_alpha ref_model_sync_steps top_entropy_quantile entropy_coef use_adaptive_entropy
  entropy_coef_min entropy_coef_max entropy_coef_delta entropy_target max_tool_calling_iterations
  vllm_importance_sampling_correction vllm_importance_sampling_mode vllm_importance_sampling_clip_max
  vllm_importance_sampling_clip_min off_policy_mask_threshold use_bias_correction_kl log_completions
  log_multimodal num_completions_to_print log_unique_prompts log_completions_hub_repo
  use_transformers_continuous_batching transformers_continuous_batching_config use_transformers_paged
  vllm_importance_sampling_cap model_name_or_path model_revision dtype attn_implementation use_peft lora_r
  lora_alpha lora_dropout lora_target_modules lora_target_parameters lora_modules_to_save lora_task_type
  use_rslora use_dora load_in_8bit load_in_4bit bnb_4bit_quant_type use_bnb_nested_quant bnb_4bit_quant_storage
  dataset_name dataset_config dataset_train_split dataset_test_split dataset_streaming ignore_bias_buffers
`
  .trim()
  .split(/\s+/);

test('every key of TRL is a setting, is read, or is named with the reason why it is not', () => {
  expect(KEYS).toHaveLength(214);
  const strange = KEYS.filter((key) => keyOfName(key) === null && !isTrlKey(key) && trlReason(key) === null);
  expect(strange).toEqual([]);
  const text = `max_steps: 3\n${KEYS.filter((key) => key !== 'max_steps')
    .map((key) => `${key}: null\n`)
    .join('')}`;
  const result = readSettings(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  expect(result.config.numSteps).toBe(3);
  expect(result.ignored.filter(({ reason }) => reason.startsWith('nothing of that name'))).toEqual([]);
});

test('what tokens are drawn by is read by TRL’s names', () => {
  const result = readSettings(
    'per_device_train_batch_size: 8\nmin_p: 0.05\nrepetition_penalty: 1.2\ntop_k: 20\ntop_p: 0.8\n',
  );
  expect(result).toMatchObject({
    ok: true,
    config: { minP: 0.05, repetitionPenalty: 1.2, topK: 20, topP: 0.8 },
    ignored: [],
  });
  expect(readSettings('per_device_train_batch_size: 8\nrepetition_penalty: 0\n')).toEqual({
    ok: false,
    errors: ['line 2: repetition_penalty (repetitionPenalty): 0 is too small; choose 0.1 to 10.'],
  });
});

test('generation_kwargs goes before the keys beside it, and each of its keys that is not taken has its own reason', () => {
  const result = readSettings(`
per_device_train_batch_size: 8
temperature: 0.5
generation_kwargs:
  temperature: 0.9
  top_k: -1
  repetition_penalty: 1.1
  num_beams: 4
  do_sample: true
  max_new_tokens: 64
  assistant_model: gpt2
  tempperature: 1
`);
  expect(result).toMatchObject({
    ok: true,
    config: { temperature: 0.9, topK: 0, repetitionPenalty: 1.1 },
  });
  const reasons = result.ok ? new Map(result.ignored.map(({ path, reason }) => [path, reason])) : null;
  expect(reasons?.get('temperature')).toContain('goes first');
  const own = (key: string): string | undefined => reasons?.get(`generation_kwargs.${key}`);
  expect(own('num_beams')).toContain('token by token');
  expect(own('do_sample')).toContain('always sampled');
  expect(own('max_new_tokens')).toContain('max_completion_length');
  expect(own('assistant_model')).toContain('without the help of another');
  expect(own('tempperature')).toContain('perhaps temperature is meant');
  expect(reasons?.size).toBe(6);
  expect(
    readSettings('per_device_train_batch_size: 8\ngeneration_kwargs: {repetition_penalty: 0}\n'),
  ).toMatchObject({ ok: false, errors: [expect.stringContaining('0 is too small; choose 0.1 to 10.')] });
  expect(readSettings('per_device_train_batch_size: 8\ngeneration_kwargs: warm\n')).toMatchObject({
    ok: false,
    errors: [expect.stringContaining('no mapping of names to values')],
  });
});
