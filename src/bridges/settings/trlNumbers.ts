/** Reads the parts of a TRL configuration that have to be converted: batches, schedules, LoRA. */
import { LORA_TARGETS } from '@rl-playground/engine/parts';
import { quoted } from '@rl-playground/base/valueSchemas';
import { RUN_FIELDS, type RunConfig } from '@rl-playground/run/settings';
import { words, type KeyReader } from './reader.ts';

const MOST = 1_048_576;

/** TRL's own values for what a file leaves out. A fragment takes them from the config that it changes. */
export interface TrlStart {
  readonly perDevice: number;
  readonly accumulation: number;
  readonly generations: number;
  readonly iterations: number;
}

/** The keys that decide the batch and its updates. */
export const BATCH_KEYS = words(`
  per_device_train_batch_size gradient_accumulation_steps num_generations num_iterations steps_per_generation
  generation_batch_size`);

/** Losses that TRL divides by the tokens of a generation batch. */
const BY_GENERATION: ReadonlySet<RunConfig['loss']> = new Set(['dapo', 'cispo', 'vespo']);

/** The note where one update takes several generation batches, all sampled by the same weights, which are one batch here. */
function severalGenerations(
  reader: KeyReader,
  generations: number,
  sequences: number,
  loss: RunConfig['loss'],
): string {
  const taken = [
    ...(BY_GENERATION.has(loss) ? [`the tokens that ${loss} divides by`] : []),
    ...(reader.peek('scale_rewards') === 'batch' ? ['the standard deviation of the batch'] : []),
  ];
  const differs =
    taken.length === 0
      ? ''
      : ` There ${taken.join(' and ')} are of each generation by itself, here of all of them.`;
  return `Batch: ${sequences} answers an update, which TRL samples in ${generations} generations under the same weights and this page in one.${differs}`;
}

/**
 * Reads the batch, of which TRL counts sequences. Returns how many updates a step gives, because TRL's steps are updates; undefined for a
 * batch that is refused. One step here is one generation batch of per_device_train_batch_size × steps_per_generation sequences, or as many of
 * them as an update takes.
 */
export function readBatch(reader: KeyReader, start: TrlStart, loss: RunConfig['loss']): number | undefined {
  const whole = { min: 1, max: MOST, whole: true } as const;
  const perDevice = reader.number('per_device_train_batch_size', whole) ?? start.perDevice;
  const accumulation =
    reader.number('gradient_accumulation_steps', { ...whole, max: 1024 }) ?? start.accumulation;
  const group = reader.number('num_generations', { min: 2, max: 256, whole: true }) ?? start.generations;
  const iterations = reader.number('num_iterations', { ...whole, max: 100 }) ?? start.iterations;
  const generated = reader.number('generation_batch_size', whole);
  const stated = reader.number('steps_per_generation', whole);
  const perGeneration = stated ?? (generated === undefined ? accumulation : generated / perDevice);
  if (generated !== undefined && stated !== undefined)
    return reader.refuse(
      'generation_batch_size',
      `${generated} and steps_per_generation, ${stated}, both say how many sequences are generated at once; give one of them.`,
    );
  const generation = generated ?? perDevice * perGeneration;
  const generations = accumulation / perGeneration;
  const several = generations > 1 && Number.isInteger(generations) && iterations === 1;
  if (!Number.isInteger(perGeneration) || (perGeneration % accumulation !== 0 && !several))
    return reader.refuse(
      generated === undefined ? 'steps_per_generation' : 'generation_batch_size',
      `${generated ?? perGeneration} does not make whole updates of ${accumulation} × ${perDevice} sequences; choose a multiple${iterations === 1 ? ', or a divisor of gradient_accumulation_steps' : ''}.`,
    );
  if (generation % group !== 0)
    return reader.refuse(
      'per_device_train_batch_size',
      `${perDevice} makes ${generation} sequences a step, which is no multiple of num_generations, ${group}; it counts sequences, so choose a multiple.`,
    );
  const sequences = several ? generation * generations : generation;
  if (several) reader.note(severalGenerations(reader, generations, sequences, loss));
  reader.put('per_device_train_batch_size', 'problemsPerStep', sequences / group);
  reader.put('num_generations', 'rolloutsPerProblem', group);
  reader.set('oneProblemPerGenerator', false);
  reader.put('num_iterations', 'ppoEpochs', iterations);
  const parts = several ? 1 : perGeneration / accumulation;
  // BNPO averages over the tokens of each micro-batch; for the others the cut makes no difference.
  const cut = parts > 1 || (loss === 'bnpo' && accumulation > 1);
  reader.put('steps_per_generation', 'miniBatchSize', cut ? perDevice : 0);
  reader.put('gradient_accumulation_steps', 'gradientAccumulation', cut ? accumulation : 1);
  reader.set('numSubsteps', 1);
  const updates = parts * iterations;
  if (updates > 1)
    reader.note(
      `Steps: one here is a batch of answers with ${updates} updates, so numbers of TRL's steps, which are updates, are divided by ${updates}.`,
    );
  return updates;
}

/** The schedules of transformers that each of ours replaces, being the nearest one. */
const SCHEDULES: Readonly<Record<RunConfig['lrSchedule'], readonly string[]>> = {
  constant: words('constant constant_with_warmup reduce_lr_on_plateau'),
  linear: words('linear polynomial inverse_sqrt warmup_stable_decay'),
  cosine: words('cosine cosine_with_restarts cosine_with_min_lr'),
};
const SCHEDULE_NAMES = Object.values(SCHEDULES).flat();

/** True if `warmup_steps` is a share of the run, as TRL allows. Here it is a number of steps. */
export const isWarmupShare = (name: string, value: unknown): boolean =>
  name === 'warmup_steps' && typeof value === 'number' && value > 0 && value < 1;

/** The warm-up in updates or as a share of the run: transformers 5 takes `warmup_steps` below 1 for a share, as `warmup_ratio` was before. */
function readWarmup(reader: KeyReader): { warmup: number | undefined; ratio: number | undefined } {
  const given = reader.number('warmup_steps', { min: 0, max: MOST });
  const ratio = reader.number('warmup_ratio', { min: 0, max: 1 });
  const share = given !== undefined && given > 0 && given < 1;
  if (given !== undefined && given >= 1 && !Number.isInteger(given))
    reader.refuse(
      'warmup_steps',
      `${given} is neither a whole number of steps nor a share below 1; choose one of them.`,
    );
  if (!share) return { warmup: given, ratio };
  reader.idle('warmup_ratio', ratio, 'warmup_steps is given, which goes first');
  return { warmup: undefined, ratio: given };
}

/** The key of a share of warm-up. */
const warmupKey = (reader: KeyReader): string =>
  reader.has('warmup_ratio') ? 'warmup_ratio' : 'warmup_steps';

/** Reads the schedule of the learning rate over `steps` of ours with `updates` each. */
export function readOptimizer(reader: KeyReader, steps: number, updates: number): void {
  const optimizer = reader.text('optim');
  if (optimizer !== undefined && !optimizer.startsWith('adamw'))
    reader.note(`Optimizer: AdamW instead of ${quoted(optimizer)}.`);
  const name = reader.choice('lr_scheduler_type', SCHEDULE_NAMES);
  if (name !== undefined) {
    const schedule = RUN_FIELDS.lrSchedule.schema.options.find((each) => SCHEDULES[each].includes(name));
    if (schedule !== name && name !== 'constant_with_warmup')
      reader.note(`Learning-rate schedule: ${schedule} instead of ${name}.`);
    reader.put('lr_scheduler_type', 'lrSchedule', schedule);
  }
  const { warmup, ratio } = readWarmup(reader);
  if (name === 'constant') {
    const none = 'the schedule constant has no warm-up';
    reader.idle(warmupKey(reader), ratio, none);
    reader.idle('warmup_steps', warmup, none);
    reader.set('warmupSteps', 0);
  } else if (warmup !== undefined && warmup > 0) {
    reader.put('warmup_steps', 'warmupSteps', Math.ceil(warmup / updates));
    reader.idle('warmup_ratio', ratio, 'warmup_steps is given, which goes first');
  } else if (ratio !== undefined)
    reader.put(warmupKey(reader), 'warmupSteps', Math.ceil(Number((steps * ratio).toPrecision(12))));
  else if (warmup !== undefined) reader.put('warmup_steps', 'warmupSteps', 0);
}

/** Reads LoRA, which `use_peft` asks for. */
export function readLora(reader: KeyReader): void {
  const on = reader.flag('use_peft');
  if (on !== true) {
    if (on === false) reader.put('use_peft', 'loraRank', 0);
    for (const key of ['lora_r', 'lora_alpha', 'lora_dropout', 'lora_target_modules'])
      reader.ignore(key, 'use_peft is not on');
    return;
  }
  const rank = reader.number('lora_r', { min: 1, max: 1024, whole: true }) ?? 16;
  const alpha = reader.number('lora_alpha', { min: 0.001, max: 4096 }) ?? 32;
  reader.put('lora_r', 'loraRank', rank);
  reader.put('lora_alpha', 'loraAlpha', alpha);
  const modules = reader.value('lora_target_modules');
  // PEFT's choice for the Llama and Qwen families.
  const names: readonly unknown[] =
    modules === undefined ? ['q_proj', 'v_proj'] : Array.isArray(modules) ? modules : [modules];
  const all = names.length === 1 && names[0] === 'all-linear';
  // PEFT's "all-linear" leaves out the head.
  const targets = LORA_TARGETS.filter((target) => names.includes(target) || (all && target !== 'lm_head'));
  const known: readonly unknown[] = ['all-linear', ...LORA_TARGETS];
  for (const name of names) {
    if (!known.includes(name))
      reader.idle('lora_target_modules', name, 'LoRA has no factors for that matrix here');
  }
  if (targets.length === 0)
    reader.refuse(
      'lora_target_modules',
      `${quoted(modules)} name no matrix that can get factors; choose of: ${LORA_TARGETS.join(', ')}, or "all-linear".`,
    );
  else reader.put('lora_target_modules', 'loraTargets', [...targets]);
}
