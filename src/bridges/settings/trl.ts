/** Reads configurations of RL for Real: TRL's GRPO trainer on reasoning-gym's tasks. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, listOf, type Tree } from '@rl-playground/run/settings/files';
import { ownReduction } from '@rl-playground/engine/parts';
import {
  ALL_NAMES,
  keyOfName,
  replacedModel,
  updatesPerBatch,
  type RunConfig,
} from '@rl-playground/run/settings';
import { findTask, MIXTURE, TASK_NAMES, TASKS } from '@rl-playground/tasks/parts';
import { KeyReader, valueFor, words, type Account } from './reader.ts';
import { readGeneration } from './trlGeneration.ts';
import { readLoss, readReference } from './trlLoss.ts';
import {
  BATCH_KEYS,
  isWarmupShare,
  readBatch,
  readLora,
  readOptimizer,
  type TrlStart,
} from './trlNumbers.ts';
import { MEANINGLESS_KEYS, trlReason } from './reasons.ts';
import { readTracking } from './tracking.ts';
import { COMPLETION_LENGTH, isTaskName, statedBy, type Stated } from './trlFile.ts';
import { bundledModelFor, bundledRoom, readDatasets, readEvalDatasets, type Part } from './trlTasks.ts';

/** Keys that are read and are no names of settings here. */
const USED: ReadonlySet<string> = new Set(
  words(`
    datasets eval_datasets developer_prompt developer_role model_name_or_path per_device_train_batch_size
    gradient_accumulation_steps steps_per_generation generation_batch_size num_train_epochs warmup_ratio use_vllm
    vllm_importance_sampling_correction sync_ref_model ref_model_sync_steps save_strategy eval_strategy eval_steps
    optim use_peft lora_target_modules reward_weights generation_kwargs`),
);

/** True if a key is this system's and no name of a setting here. */
export function isTrlKey(name: string): boolean {
  const [head = ''] = name.split('.');
  return keyOfName(name) === null && (USED.has(head) || trlReason(head) !== null);
}

export function isTrl(tree: Tree): boolean {
  return Object.entries(tree).some(([name, value]) => isTrlKey(name) || isWarmupShare(name, value));
}

/** TRL's own values of what a whole file leaves out. */
const TRL_START: TrlStart = { perDevice: 8, accumulation: 1, generations: 8, iterations: 1 };
const EPOCHS = 3;
const DATASET_SIZE = 10_000;

const MOST_TOKENS = 1_000_000;
/** The largest value of the setting. */
const LONGEST_ANSWER = 4096;

function startOf({ problemsPerStep, rolloutsPerProblem, ppoEpochs }: RunConfig, stated: Stated): TrlStart {
  if (stated !== 'part') return TRL_START;
  const perDevice = problemsPerStep * rolloutsPerProblem;
  return { perDevice, accumulation: 1, generations: rolloutsPerProblem, iterations: ppoEpochs };
}

/** The weight of the form, relative to the accuracy's, which is 1 here. */
function readFormatWeight(reader: KeyReader): number {
  const weights = reader.value('reward_weights');
  if (weights === undefined) return 1;
  const list = listOf(weights) ?? [];
  const [accuracy, format] = list;
  const sound = (each: unknown): each is number => typeof each === 'number' && Number.isFinite(each);
  if (list.length !== 2 || !sound(accuracy) || !sound(format) || accuracy <= 0 || format < 0) {
    reader.refuse(
      'reward_weights',
      `${quoted(weights)} must be two numbers: the weight of accuracy, above 0, and that of the format, 0 or more.`,
    );
    return 1;
  }
  if (accuracy !== 1)
    reader.note(
      `Reward: accuracy weighs 1 and the format ${format / accuracy}, instead of ${accuracy} and ${format}; their relation is the same.`,
    );
  return format / accuracy;
}

interface Source {
  readonly stated: Stated;
  /** The model that the run takes whatever the file says. */
  readonly given: string | undefined;
}

/** The longest answer, as far as the model has room for it behind the prompts of `parts`. */
function readLength(
  reader: KeyReader,
  base: RunConfig,
  { given, stated }: Source,
  parts: readonly Part[],
): void {
  const length =
    reader.number('max_completion_length', { min: 1, max: MOST_TOKENS, whole: true }) ??
    (stated === 'part' ? undefined : COMPLETION_LENGTH);
  if ((length === undefined && !reader.has('datasets')) || reader.account.errors.length > 0) return;
  const bundled = given === undefined || TASKS.some(({ starter }) => starter?.model === given);
  const evaluated = (reader.account.values.evalMixture ?? []) as readonly Part[];
  const seed = Number(reader.peek('seed') ?? base.seed);
  const room = bundled ? Math.max(1, bundledRoom([...parts, ...evaluated], seed)) : LONGEST_ANSWER;
  const wanted = length ?? base.maxTokens;
  if (length !== undefined) reader.put('max_completion_length', 'maxTokens', Math.min(length, room));
  else if (wanted > room) reader.set('maxTokens', room);
  if (wanted > room)
    reader.note(
      `Longest answer: ${room} tokens instead of ${wanted}; ${bundled ? 'prompt and answer share the 512 positions of the bundled models' : 'longer ones are not sampled here'}.`,
    );
}

/** Reads how often there are evaluations on the way, from the course's own key or TRL's. `length` is that of the run, in updates. */
function readEvalEvery(reader: KeyReader, updates: number, length: number): void {
  const fixed = reader.number('fixed_eval_steps', { min: 0, max: 10_000_000, whole: true });
  const strategy = reader.choice('eval_strategy', ['no', 'steps', 'epoch']);
  const every = reader.number('eval_steps', { min: 0, max: 10_000_000 });
  if (fixed !== undefined) {
    reader.put('fixed_eval_steps', 'evalEvery', Math.ceil(fixed / updates));
    const first = 'fixed_eval_steps is given, which goes first';
    reader.idle('eval_strategy', strategy, first);
    reader.idle('eval_steps', every, first);
  } else if (strategy === 'steps' && every !== undefined)
    reader.put('eval_steps', 'evalEvery', Math.ceil((every < 1 ? every * length : every) / updates));
  else if (strategy === 'no') {
    reader.put('eval_strategy', 'evalEvery', 0);
    reader.idle('eval_steps', every, 'eval_strategy is "no"');
  } else {
    const other = 'eval_steps or fixed_eval_steps say how often there are evaluations';
    reader.idle('eval_strategy', strategy, other);
    reader.idle('eval_steps', every, 'eval_strategy is not "steps"');
  }
}

/** The length of the run, evaluation and checkpoints, all in steps of `updates` updates. Returns the steps. */
function readRun(reader: KeyReader, base: RunConfig, stated: Stated, updates: number): number {
  const steps = (count: number): number => Math.ceil(count / updates);
  const endless = 'problems are drawn at random and do not run out';
  const most = reader.number('max_steps', { min: -1, max: 10_000_000, whole: true });
  const epochs = reader.number('num_train_epochs', { min: 0.001, max: 1_000_000 });
  const size = reader.number('dataset_size', { min: 1, max: 1_000_000_000, whole: true });
  const own = reader.has('num_steps') || reader.has('numSteps');
  let numSteps = base.numSteps;
  if (most !== undefined && most > 0) {
    numSteps = steps(most);
    reader.put('max_steps', 'numSteps', numSteps);
    reader.idle('num_train_epochs', epochs, 'max_steps says how long the run is');
    reader.idle('dataset_size', size, endless);
  } else if ((stated === 'course' && !own) || epochs !== undefined) {
    const problems = Number(reader.account.values.problemsPerStep ?? base.problemsPerStep);
    numSteps = Math.ceil(((size ?? DATASET_SIZE) * (epochs ?? EPOCHS)) / problems);
    reader.put('num_train_epochs', 'numSteps', numSteps);
    reader.note(
      `Steps: ${numSteps}, as many as ${epochs ?? EPOCHS} epochs of ${size ?? DATASET_SIZE} problems have; problems do not repeat here.`,
    );
  } else {
    reader.idle('dataset_size', size, endless);
    if (stated === 'trainer' && !own)
      reader.note(
        `Steps: ${numSteps}, unless --num-steps says otherwise; TRL’s own are ${EPOCHS} epochs of the data set, whose size is not known here.`,
      );
  }
  const strategy = reader.choice('save_strategy', ['steps', 'no', 'epoch', 'best']);
  const every = reader.number('save_steps', { min: 0, max: 10_000_000 });
  if (strategy === undefined || strategy === 'steps') {
    const count = every === undefined ? undefined : every < 1 ? every * numSteps * updates : every;
    reader.put('save_steps', 'saveSteps', count === undefined ? undefined : steps(count));
  } else {
    reader.put('save_strategy', 'saveSteps', 0);
    if (strategy !== 'no')
      reader.note(`Checkpoints: one at the end instead of save_strategy ${quoted(strategy)}.`);
    reader.idle('save_steps', every, `save_strategy is ${quoted(strategy)}`);
  }
  readEvalEvery(reader, updates, numSteps * updates);
  return numSteps;
}

/** The system prompt here that stands for one of reasoning-gym's. */
const promptFor = (name: string): 'think' | 'steps' => (name === 'DeepSeekZero' ? 'think' : 'steps');

function promptNote(name: string): string {
  const asks = promptFor(name) === 'think' ? 'thoughts between <think> and </think>' : 'steps';
  return `System prompt: this project’s own, which asks for ${asks} and then the answer, for developer_prompt ${quoted(name)}; models that read English are told it, the bundled ones read the question alone.`;
}

/** The tasks, and the bundled model that suits them. Returns what is asked. */
function readTasks(reader: KeyReader, base: RunConfig, { given, stated }: Source): readonly Part[] {
  // Of a run of TRL's own they weigh functions that are not here, as many as there are.
  const functions = stated === 'trainer';
  if (functions)
    reader.ignore('reward_weights', 'reward functions are Python, and the task has its own reward');
  const weight = functions ? 1 : readFormatWeight(reader);
  const named = reader.text('developer_prompt');
  const prompt = named === undefined ? undefined : promptFor(named);
  // If it is left out, the script's own applies.
  const ofEach = { format_weight: weight, ...(prompt !== 'steps' && { developer_prompt: 'think' }) };
  const datasets = listOf(reader.peek('datasets')) === null ? reader.tree('datasets') : undefined;
  const parts =
    datasets === undefined
      ? base.task === MIXTURE
        ? base.mixture
        : [{ task: base.task, weight: 1, config: base.taskConfig }]
      : readDatasets(datasets, ofEach, reader.account);
  if (datasets === undefined && base.task !== MIXTURE) {
    if (!functions && reader.has('reward_weights'))
      reader.account.set(
        'taskConfig',
        { ...base.taskConfig, format_weight: weight },
        reader.path('reward_weights'),
      );
    if (prompt !== undefined && findTask(base.task)?.fields['developer_prompt'] !== undefined) {
      const before =
        (reader.account.values.taskConfig as RunConfig['taskConfig'] | undefined) ?? base.taskConfig;
      const path = reader.path('developer_prompt');
      reader.account.set('taskConfig', { ...before, developer_prompt: prompt }, path);
    }
  }
  const held = reader.tree('eval_datasets');
  if (held !== undefined) readEvalDatasets(held, ofEach, reader.account, parts);
  const model = bundledModelFor(parts);
  const wanted = reader.text('model_name_or_path');
  if (datasets !== undefined && model !== null) reader.set('model', model);
  const taken = given ?? model ?? base.model;
  if (wanted !== undefined && wanted !== taken) reader.note(replacedModel(taken, wanted));
  if (named !== undefined) reader.note(promptNote(named));
  const role = reader.text('developer_role');
  if (role !== undefined && role !== 'system')
    reader.note(`System prompt: under the role "system" instead of ${quoted(role)}.`);
  return parts;
}

/** The names that a key which nobody knows may have been meant for. */
const KNOWN = [...USED, ...ALL_NAMES, ...MEANINGLESS_KEYS];

/** Reads a file, or some settings, over `base`, into `account`. Returns the keys that are left over and are settings here. */
export function readTrl(
  tree: Tree,
  base: RunConfig,
  account: Account,
  given?: string,
): readonly (readonly [string, unknown])[] {
  const stated = statedBy(tree);
  const source = { stated, given };
  const reader = new KeyReader(tree, '', account);
  const start = startOf(base, stated);
  const loss = readLoss(reader, stated !== 'part') ?? base.loss;
  const batch = stated !== 'part' || BATCH_KEYS.some((key) => reader.has(key));
  const updates = batch ? (readBatch(reader, start, loss) ?? 1) : updatesPerBatch(base);
  // The preset's own reduction is the same where a batch makes one update.
  if (loss === 'dapo' && updates > 1) reader.set('lossReduction', ownReduction(loss, 'epsilon'));
  readReference(reader, updates);
  const parts = readTasks(reader, base, source);
  const steps = readRun(reader, base, stated, updates);
  readLength(reader, base, source, parts);
  readOptimizer(reader, steps, updates);
  readLora(reader);
  readTracking(reader);
  readGeneration(reader);
  const rest: (readonly [string, unknown])[] = [];
  for (const key of reader.unread()) {
    const reason = trlReason(key);
    // Null is TRL's word for a key that is not given.
    const setting = keyOfName(key);
    const idle = reader.isNull(key) && (USED.has(key) || setting !== null);
    const value = reader.peek(key);
    if (reason !== null) reader.ignore(key, reason);
    else if (idle) continue;
    else if (key === 'env' && isTree(value)) reader.ignore(key, 'a run here reads no environment variables');
    else if (key === 'datasets') reader.idle(key, value, 'rows of a data set come by --data');
    else if (key === 'task' && typeof value === 'string' && value !== MIXTURE && !isTaskName(value))
      reader.ignore(key, account.notKnown(value, TASK_NAMES, 'there is no such task here'));
    // TRL's -1 is no bound.
    else if (key === 'top_k' && value === -1) rest.push([key, 0]);
    else if (setting !== null) rest.push([key, valueFor(setting, value)]);
    else reader.ignore(key, account.notKnown(key, KNOWN));
  }
  return rest;
}
