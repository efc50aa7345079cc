/**
 * The sections of a configuration of simplexity's RLVR system, its training settings and its arithmetic, and those groups of them that
 * are known by name, for a file that names them and comes alone.
 */
import { quoted } from '@rl-playground/base/valueSchemas';
import { listOf, type Tree } from '@rl-playground/run/settings/files';
import {
  longestPrompt,
  RLVR_SETTINGS,
  RUN_FIELDS,
  type RlvrSettings,
  type RunConfig,
  type PresetName,
} from '@rl-playground/run/settings';
import { KeyReader, NOT_KNOWN, words, type Account } from './reader.ts';

/** Keys of a training file that no other system's files have. */
export const RLVR_MARKS = words(`
  cliprange_value complexity_range max_batches_per_epoch max_generation_length ppo_steps reward_type
  samples_per_epoch vf_coef`);

/** All keys of a training file. */
export const RLVR_KEYS: readonly string[] = [
  ...RLVR_MARKS,
  ...words(`
    num_epochs learning_rate batch_size mini_batch_size gradient_accumulation_steps ppo_epochs cliprange target_kl
    early_stopping temperature top_p boxed_weight correct_weight log_every checkpoint_every max_prompt_length seed`),
];

const OWN_SIGNS = 'the vocabulary has its own start and end signs';
const CUSTOM_VOCABULARY = 'the vocabulary follows from p and the operators';

/** Reads p and the operators of the expressions. */
export function readProcess(process: Tree, prefix: string, account: Account): RunConfig['taskConfig'] {
  const reader = new KeyReader(process, prefix, account);
  const instance = reader.tree('instance') ?? {};
  const inner = new KeyReader(instance, `${prefix}instance.`, account);
  const p = inner.number('p', { min: 2, max: 997, whole: true });
  const operators = inner.value('operators');
  const form = inner.text('representation');
  if (form !== undefined && form !== 'rpn')
    inner.note(`Reverse Polish notation instead of representation ${quoted(form)}.`);
  inner.ignore('max_operations', 'complexity_range says how many operators an expression has');
  inner.ignore('_target_', 'it names a Python function');
  for (const key of inner.unread()) inner.ignore(key, NOT_KNOWN);
  reader.ignore('name', 'it is a name alone');
  reader.ignore('vocab_size', CUSTOM_VOCABULARY);
  reader.ignore('bos_token', OWN_SIGNS);
  reader.ignore('eos_token', OWN_SIGNS);
  for (const key of reader.unread()) reader.ignore(key, NOT_KNOWN);
  const known = Array.isArray(operators) && operators.every((each) => typeof each === 'string');
  if (operators !== undefined && !known)
    inner.refuse('operators', `${quoted(operators)} is no list of operators, as in ["+", "-"].`);
  return { ...(p === undefined ? {} : { p }), ...(known ? { operators } : {}) };
}

/** The fewest and the most operators of an expression. */
function complexityRange(reader: KeyReader): readonly [number, number] | undefined {
  const value = reader.value('complexity_range');
  if (value === undefined) return undefined;
  const list = listOf(value) ?? [];
  const [low, high] = list.length === 2 ? list : [];
  const whole = (each: unknown): each is number => Number.isInteger(each);
  if (whole(low) && whole(high) && low >= 1 && high >= low && high <= 10) return [low, high];
  return reader.refuse(
    'complexity_range',
    `${quoted(value)} is no range; it needs two whole numbers from 1 to 10, the smaller one first, as in [1, 3].`,
  );
}

/** Reads steps and checkpoints from epochs and the batches of each. */
function readLength(reader: KeyReader, base: RunConfig, batch: number): void {
  const known = rlvrSettingsOf(base.preset);
  const epochs = reader.number('num_epochs', { min: 1, max: 100_000, whole: true });
  const most = reader.number('max_batches_per_epoch', { min: 1, max: 100_000, whole: true });
  const samples = reader.number('samples_per_epoch', { min: 1, max: 1e9, whole: true });
  const every = reader.number('checkpoint_every', { min: 1, max: 100_000, whole: true });
  const batches = Math.min(
    most ?? known.batchesPerEpoch,
    samples === undefined ? Infinity : Math.ceil(samples / batch),
  );
  const byEpochs = epochs !== undefined || most !== undefined || samples !== undefined;
  const steps = (epochs ?? known.epochs) * batches;
  if (byEpochs) reader.put('num_epochs', 'numSteps', steps);
  // It was TRL's `steps`: batches that are sampled and learned from. The original's loop counts its epochs.
  const ppoSteps = reader.number('ppo_steps', { min: 1, max: 100_000, whole: true });
  if (!byEpochs) reader.put('ppo_steps', 'numSteps', ppoSteps);
  else if (ppoSteps !== steps)
    reader.idle('ppo_steps', ppoSteps, `num_epochs times the batches of an epoch make ${steps} steps`);
  const none = reader.isNull('checkpoint_every') ? 0 : undefined;
  reader.put('checkpoint_every', 'saveSteps', every === undefined ? none : every * batches);
}

/** Reads the longest answer from the longest text of prompt and answer. */
function readLengths(reader: KeyReader, base: RunConfig, range: readonly [number, number] | undefined): void {
  const known = rlvrSettingsOf(base.preset);
  const prompt = reader.number('max_prompt_length', { min: 1, max: 100_000, whole: true });
  const length = reader.number('max_generation_length', { min: 1, max: 100_000, whole: true });
  if (prompt !== undefined) {
    reader.idle('max_prompt_length', prompt, 'prompts are neither cut nor padded');
    if (length !== undefined && length <= prompt)
      reader.refuse(
        'max_generation_length',
        `${length} counts prompt and answer together and must exceed max_prompt_length, ${prompt}; choose more.`,
      );
  }
  if (length === undefined && range === undefined) return;
  const longest = longestPrompt(range?.[1] ?? Number(base.taskConfig.max_complexity ?? known.maxComplexity));
  const whole = length ?? known.maxLength;
  const room = whole - longest;
  if (room < 1)
    reader.refuse(
      'max_generation_length',
      `${whole} leaves no room for an answer after prompts of up to ${longest} signs; choose at least ${longest + 1}.`,
    );
  else reader.put('max_generation_length', 'maxTokens', room);
}

/** Reads the updates of a batch. */
function readUpdates(reader: KeyReader, batch: number): void {
  const size = reader.number('mini_batch_size', { min: 1, max: 16_384, whole: true });
  reader.putNumbers([
    ['gradient_accumulation_steps', 'gradientAccumulation', 1, 1024, true],
    ['ppo_epochs', 'ppoEpochs', 1, 100, true],
    ['vf_coef', 'valueCoef', 0, 100],
  ]);
  const range = reader.number('cliprange', { min: 0, max: 1 });
  const target = reader.number('target_kl', { min: 0, max: 100 });
  const stops = reader.flag('early_stopping');
  if (size !== undefined && size > batch)
    reader.refuse('mini_batch_size', `${size} is more than batch_size, ${batch}; choose at most that.`);
  else reader.put('mini_batch_size', 'miniBatchSize', size);
  const values = reader.number('cliprange_value', { min: 0, max: 1 });
  if (values === 0) reader.refuse('cliprange_value', '0 is too small; choose more than 0, up to 1.');
  else reader.put('cliprange_value', 'valueClip', values);
  if (range === 0) reader.refuse('cliprange', '0 is too small; choose more than 0, up to 1.');
  else if (range !== undefined) {
    reader.set('clipMeaning', 'epsilon');
    reader.put('cliprange', 'clipLow', range);
    reader.put('cliprange', 'clipHigh', range);
  }
  if (target === 0) reader.refuse('target_kl', '0 is too small; choose more than 0.');
  else if (stops !== false) reader.put('target_kl', 'targetKl', target);
  else if (target !== undefined) reader.idle('target_kl', target, 'early_stopping is false');
  if (stops === false) reader.put('early_stopping', 'targetKl', 0);
  else if (reader.isNull('target_kl')) reader.put('target_kl', 'targetKl', 0);
}

function readReward(reader: KeyReader): RunConfig['taskConfig'] {
  const type = reader.choice('reward_type', ['combined', 'boxed', 'correct']);
  const boxed = reader.number('boxed_weight', { min: 0, max: 10 });
  const correct = reader.number('correct_weight', { min: 0, max: 10 });
  if (boxed === 0 && correct === 0)
    reader.refuse('boxed_weight', '0 and correct_weight 0 pay for nothing; raise one of them.');
  return {
    ...(type === undefined ? {} : { reward_type: type }),
    ...(boxed === undefined ? {} : { boxed_weight: boxed }),
    ...(correct === undefined ? {} : { correct_weight: correct }),
  };
}

/** Reads the training settings into `account`, and returns those of the task. */
export function readTraining(reader: KeyReader, base: RunConfig): RunConfig['taskConfig'] {
  const batch = reader.number('batch_size', { min: 1, max: 1024, whole: true });
  const answers = batch ?? base.problemsPerStep;
  if (batch !== undefined) {
    reader.put('batch_size', 'problemsPerStep', batch);
    reader.set('rolloutsPerProblem', 1);
  }
  const range = complexityRange(reader);
  readLength(reader, base, answers);
  readLengths(reader, base, range);
  readUpdates(reader, answers);
  reader.putNumbers([
    ['learning_rate', 'learningRate', 0, 1],
    ['temperature', 'temperature', 0.05, 5],
    ['top_p', 'topP', 0.01, 1],
  ]);
  const reward = readReward(reader);
  reader.ignore('log_every', 'every step is logged');
  return {
    ...(range === undefined ? {} : { min_complexity: range[0], max_complexity: range[1] }),
    ...reward,
  };
}

/** The preset that repeats an option of the group `training`, such as `rlvr_small`; null for an unknown name. */
export function presetOfTraining(option: string): keyof typeof RLVR_SETTINGS | null {
  const name = `rlvr-${option.replace(/^rlvr_/, '')}`;
  return Object.hasOwn(RLVR_SETTINGS, name) ? (name as keyof typeof RLVR_SETTINGS) : null;
}

/** The values of the preset's own file, or those of `rlvr-small` for a preset of another system. */
function rlvrSettingsOf(preset: PresetName): RlvrSettings {
  return RLVR_SETTINGS[preset === 'rlvr-large' || preset === 'rlvr-test' ? preset : 'rlvr-small'];
}

function trainingTree(settings: RlvrSettings): Tree {
  return {
    num_epochs: settings.epochs,
    max_batches_per_epoch: settings.batchesPerEpoch,
    complexity_range: [1, settings.maxComplexity],
    max_generation_length: settings.maxLength,
    learning_rate: settings.learningRate,
    batch_size: settings.batch,
    mini_batch_size: settings.miniBatch,
    gradient_accumulation_steps: settings.gradientAccumulation,
    ppo_epochs: settings.ppoEpochs,
    cliprange_value: RUN_FIELDS.valueClip.info.default,
    vf_coef: RUN_FIELDS.valueCoef.info.default,
    early_stopping: settings.targetKl > 0,
    ...(settings.targetKl > 0 ? { target_kl: settings.targetKl } : {}),
    temperature: settings.temperature,
    top_p: settings.topP,
    ...settings.reward,
    checkpoint_every: settings.checkpointEvery === 0 ? null : settings.checkpointEvery,
  };
}

const PROCESSES: Readonly<Record<string, Tree>> = {
  rpn_arithmetic: { instance: { representation: 'rpn', p: 13, operators: ['+'] } },
  single_addition: { instance: { representation: 'rpn', p: 113, operators: ['+'] } },
};

/** The values of a group's option that is known without its file; null for an unknown name. */
export function knownGroup(group: string, option: string): Tree | null {
  if (group === 'training') {
    const preset = presetOfTraining(option);
    return preset === null ? null : trainingTree(RLVR_SETTINGS[preset]);
  }
  return group === 'generative_process' && Object.hasOwn(PROCESSES, option)
    ? (PROCESSES[option] ?? null)
    : null;
}

export const MODEL_SECTION = 'predictive_model';
