/** Settings of the Tinker cookbook that have no meaning here, with the reason. */

const PLACES = 'runs have no names here; --out chooses the folder';
const LOGGING = 'every step is logged, on the page and in the run directory';
const ERRORS = 'an answer that breaks is counted and asked again';
const CHECKPOINTS = 'checkpoints follow save_steps and are kept';

const BY_NAME: Readonly<Record<string, string>> = {
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
  rolling_save_every: CHECKPOINTS,
  rolling_ttl: CHECKPOINTS,
  rollout_error_tolerance: ERRORS,
  rollout_json_export: LOGGING,
  span_chart_every: 'times per stage are among the metrics',
  termination: 'mask_truncated leaves out answers that were cut',
  ttl_seconds: CHECKPOINTS,
  user_metadata: PLACES,
  wandb_name: LOGGING,
  wandb_project: LOGGING,
};

/** Why a setting of the cookbook has no meaning here; null for any other name. */
export function tinkerReason(name: string): string | null {
  const [head = ''] = name.split('.');
  return Object.hasOwn(BY_NAME, head) ? (BY_NAME[head] ?? null) : null;
}
