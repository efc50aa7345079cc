/** Settings by any of their names: as in the code, in snake_case, or as another system calls them. */
import { unknownKey } from './check.ts';
import { quoted } from '@rl-playground/base/valueSchemas';
import { flagOfWord } from './schema/fields.ts';
import { FIELD_KEYS, isFieldKey, RUN_FIELDS, type FieldKey, type RunConfig } from './schema/schema.ts';

/**
 * A name under which users of another system know a setting. It means exactly what the setting means; what has to be converted is read
 * by the importers in `foreign/`.
 */
interface Alias {
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
  sapo_temperature_pos: { key: 'sapoTemperaturePositive' },
  sapo_temperature_neg: { key: 'sapoTemperatureNegative' },
  vespo_k_pos: { key: 'vespoKPositive' },
  vespo_lambda_pos: { key: 'vespoLambdaPositive' },
  vespo_k_neg: { key: 'vespoKNegative' },
  vespo_lambda_neg: { key: 'vespoLambdaNegative' },
  vllm_importance_sampling_mode: { key: 'importanceMode' },
  vllm_importance_sampling_clip_min: { key: 'importanceFloor' },
  vllm_importance_sampling_clip_max: { key: 'importanceCap' },
  vllm_importance_sampling_cap: { key: 'importanceCap' },
  off_policy_mask_threshold: { key: 'offPolicyThreshold' },
  use_bias_correction_kl: { key: 'klBiasCorrection' },
  ref_model_mixup_alpha: { key: 'klReferenceMixup' },
  multi_objective_aggregation: { key: 'rewardAggregation' },
  scale_rewards: { key: 'advantageScale', words: { true: 'group', false: 'none' } },
  max_grad_norm: { key: 'clipNorm' },
  adam_epsilon: { key: 'adamEps' },
  lr_scheduler_type: { key: 'lrSchedule', words: { constant_with_warmup: 'constant' } },
  lora_r: { key: 'loraRank' },
  fixed_eval_steps: { key: 'evalEvery' },
  eval_num_samples: { key: 'evalSamples' },

  // simplexity RLVR
  cliprange: CLIP_RANGE,
  cliprange_value: { key: 'valueClip' },
  vf_coef: { key: 'valueCoef' },
};

/** `problemsPerStep` → `problems_per_step`. */
export function snakeName(key: FieldKey): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const BY_SNAKE_NAME: ReadonlyMap<string, FieldKey> = new Map(FIELD_KEYS.map((key) => [snakeName(key), key]));

/** The setting of that name; null where there is none. */
export function keyOfName(name: string): FieldKey | null {
  if (isFieldKey(name)) return name;
  return BY_SNAKE_NAME.get(name) ?? aliasOf(name)?.key ?? null;
}

function aliasOf(name: string) {
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}

/** Names of a setting other than its own. */
export function otherNames(key: FieldKey): string[] {
  return Object.entries(ALIASES).flatMap(([name, alias]) => (alias.key === key ? [name] : []));
}

/** A setting's name in a message: as it was given, with its own name beside it. */
export function shownName(key: FieldKey, given: string | undefined): string {
  return given === undefined || given === key ? key : `${given} (${key})`;
}

const SNAKE_NAMES: readonly string[] = FIELD_KEYS.map(snakeName);

/** Every name in snake_case that a setting has here. */
export const ALL_NAMES: readonly string[] = [...SNAKE_NAMES, ...Object.keys(ALIASES)];

/** The answer to a name that is no setting's. */
export function unknownName(name: string, value: unknown): string {
  return unknownKey(name, value, SNAKE_NAMES, Object.keys(ALIASES));
}

export interface NamedValues {
  /** The values are unchecked. */
  readonly values: Partial<Record<FieldKey, unknown>>;
  /** The name under which each setting was given. */
  readonly names: ReadonlyMap<FieldKey, string>;
  /** Settings given twice or against each other; the message has both names. */
  readonly errors: readonly string[];
  readonly unknown: readonly (readonly [name: string, value: unknown])[];
}

interface Given {
  readonly name: string;
  readonly value: unknown;
  /** `named` is the setting itself; the others follow from another name. */
  readonly how: 'named' | 'implied' | 'also';
}

/** A value as it was written, with words for true and false read where the setting is one of those. */
function writtenFor(key: FieldKey, value: unknown): unknown {
  return typeof RUN_FIELDS[key].info.default === 'boolean' ? flagOfWord(value) : value;
}

function givenBy(name: string, key: FieldKey, written: unknown): [FieldKey, Given][] {
  const value = writtenFor(key, written);
  const alias = aliasOf(name);
  if (alias === undefined || isFieldKey(name) || BY_SNAKE_NAME.has(name))
    return [[key, { name, value, how: 'named' }]];
  const word = typeof value === 'string' || typeof value === 'boolean' ? String(value).toLowerCase() : '';
  const words = alias.words ?? {};
  const read = Object.hasOwn(words, word) ? words[word] : value;
  const given: [FieldKey, Given][] = [[key, { name, value: read, how: 'named' }]];
  for (const other of FIELD_KEYS) {
    const meaning = alias.implies?.[other];
    if (meaning !== undefined) given.push([other, { name, value: meaning, how: 'implied' }]);
  }
  if (alias.also !== undefined) given.push([alias.also, { name, value: read, how: 'also' }]);
  return given;
}

/** The settings of a mapping: each of its keys behind a dot. */
function leavesOf(name: string, value: unknown): (readonly [string, unknown])[] {
  if (!NESTED_NAMES.includes(name) || typeof value !== 'object' || Array.isArray(value))
    return [[name, value]];
  return Object.entries(value ?? {}).map(([key, each]) => [`${name}.${key}`, each]);
}

/** Reads settings by name. Values are not checked; two names for one setting are an error. */
export function readNames(entries: Iterable<readonly [name: string, value: unknown]>): NamedValues {
  const given = new Map<FieldKey, Given>();
  const errors: string[] = [];
  const unknown: (readonly [string, unknown])[] = [];

  function give(key: FieldKey, next: Given): void {
    const before = given.get(key);
    if (before === undefined || before.how === 'also') given.set(key, next);
    else if (next.how === 'also') return;
    else if (before.how === 'named' && before.name === next.name)
      errors.push(`${next.name} is given twice; give it once.`);
    else if (before.how === 'named' && next.how === 'named')
      errors.push(`${before.name} and ${next.name} both set ${key}; give one of them.`);
    else if (before.value !== next.value)
      errors.push(
        `${before.name} and ${next.name} need different values of ${key}, ${quoted(before.value)} and ${quoted(next.value)}; leave one of them out.`,
      );
    else if (next.how === 'named') given.set(key, next);
  }

  for (const [name, value] of [...entries].flatMap(([each, written]) => leavesOf(each, written))) {
    const key = keyOfName(name);
    if (key === null) unknown.push([name, value]);
    else for (const [each, how] of givenBy(name, key, value)) give(each, how);
  }
  return {
    values: Object.fromEntries([...given].map(([key, { value }]) => [key, value])),
    names: new Map([...given].map(([key, { name }]) => [key, name])),
    errors,
    unknown,
  };
}
