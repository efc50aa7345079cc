/** The command line of `npx rl-playground train`, checked against the same schema as the page's form. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Option, type Command } from 'commander';
import { rowsBeside } from '@rl-playground/bridges/settings';
import {
  FIELDS,
  textOfValue,
  valueFromText,
  type FieldDescription,
  otherNames,
  snakeName,
  datasetTask,
  PRESETS,
  RUN_FIELDS,
  runFieldsSchema,
  type FieldKey,
  type RunConfig,
  PRESET_NAMES,
  type PresetName,
  withRunFolder,
  type AskedTracker,
  type TrackTarget,
} from '@rl-playground/run/settings';
import type { ServerAddress } from '@rl-playground/machines';
import { MIXTURE, TASK_NAMES } from '@rl-playground/tasks/parts';
import { addDataOptions, taskOfData, taskWord, type DataWords } from './dataWords.ts';
import { addGraderOptions, graderOption } from './graderWords.ts';
import {
  adapterOption,
  allowServerOption,
  joinOption,
  hubUrlOption,
  hubWords,
  MODEL_NAMES,
  type HubWords,
} from './hubOptions.ts';
import { command, parsedWords, type Refusal } from './program.ts';
import { readText } from '@rl-playground/run/disk';
import { assemble } from './settings/assemble.ts';
import { withSpelledOptions } from './settings/commandWords.ts';
import { type FileReader, type FileWords, namedFile } from './settings/named.ts';
import { askedTrackers, trackerList, trackersAgain } from './trackersBeside.ts';

export interface TrainArguments {
  readonly config: RunConfig;
  /** The backend; null lets the page choose. */
  readonly backend: 'webgpu' | 'wasm' | null;
  readonly verbose: boolean;
  /** The file for the results, or null. */
  readonly json: string | null;
  /** The folder of the run directory, or null. */
  readonly out: string | null;
  /** True if checkpoints hold the base of an adapter, too. */
  readonly full: boolean;
  /** True if the words or a file of theirs decide between LoRA and training all weights. */
  readonly loraStated: boolean;
  readonly data: DataWords;
  /** The name of a LoRA adapter beside the model, from which the run begins; null for none. */
  readonly adapter: string | null;
  /** The options for asking the Hub for models and data. */
  readonly hub: HubWords;
  /** The settings file that names the model; null if a word of the command line does, or nothing but a preset. */
  readonly modelFile: string | null;
  /** The settings file that names the reward model; null likewise. */
  readonly rewardModelFile: string | null;
  /** The trackers to which a process beside the run sends it. */
  readonly track: readonly AskedTracker[];
  /** The address where machines may join, and whether the run has generators of its own; null if nobody is invited. */
  readonly join: JoinWords | null;
  /** The notes to print before training: replacements, and keys of a file without meaning here. */
  readonly notes: readonly string[];
}

export interface JoinWords {
  readonly address: ServerAddress;
  readonly local: boolean;
}

/** The arguments that are allowed beside `--resume`. */
export interface ResumeArguments extends Pick<TrainArguments, 'verbose' | 'json' | 'track' | 'join' | 'hub'> {
  /** The folder of the run to continue. */
  readonly resume: string;
  /** The number of steps in place of the run's, or null. */
  readonly numSteps: number | null;
}

interface Options extends FileWords, HubWords, DataWords {
  readonly task: string;
  readonly preset: PresetName;
  readonly numSteps: string;
  readonly numGenerators: string;
  readonly evalSamples: string;
  readonly seed: string;
  readonly model?: string;
  readonly adapter?: string;
  readonly backend?: 'webgpu' | 'wasm';
  readonly set: readonly string[];
  readonly verbose?: true;
  readonly json?: string;
  readonly out?: string;
  readonly full?: true;
  readonly resume?: string;
  readonly track?: readonly TrackTarget[];
  readonly join?: ServerAddress;
}

/** Settings files of this machine. */
export const FILES_ON_DISK: FileReader = {
  kindOf: (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? null : found.isDirectory() ? 'folder' : 'file';
  },
  read: (path) => readText(path),
  join,
  dirname,
  basename,
};

const SETTING_OPTIONS: readonly (readonly [flag: string, key: FieldKey & keyof Options])[] = [
  ['--task', 'task'],
  ['--num-steps', 'numSteps'],
  ['--num-generators', 'numGenerators'],
  ['--eval-samples', 'evalSamples'],
  ['--seed', 'seed'],
  ['--model', 'model'],
];

/** The values that a setting may have. */
function valuesOf(field: FieldDescription): string {
  switch (field.type) {
    case 'number':
      return `${field.step === 1 ? 'whole, ' : ''}${field.min} to ${field.max}`;
    case 'choice':
      return field.choices.map(({ value }) => value).join(', ');
    case 'boolean':
      return 'true, false';
    case 'text':
      return 'text';
    case 'structure':
      return `as in ${textOfValue(RUN_FIELDS[field.key].info.default)}`;
  }
}

/** One line for each setting: names, description, values. */
export function settingsHelp(): string {
  return FIELDS.map((field) => {
    const names = [field.key, ...otherNames(field.key)].filter((name) => name !== snakeName(field.key));
    const others = names.length === 0 ? '' : ` (${names.join(', ')})`;
    return `  ${snakeName(field.key)}${others}: ${field.label} [${valuesOf(field)}]`;
  }).join('\n');
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

function line(): Command {
  const words = command(
    'npx rl-playground train',
    'Trains in a headless browser on the built page, exactly as clicking Train does.',
    '--task reverse_digits --num-steps 80 learning_rate=1e-4',
  )
    .argument('[setting=value...]', 'any setting of the list below, by either name or that of another system')
    .addOption(
      new Option('--task <name>', 'what to learn; own:NAME for a task of your own, with --data')
        .choices([...TASK_NAMES, MIXTURE])
        .argParser(taskWord)
        .default('sum_digits'),
    )
    .addOption(
      new Option('--preset <name>', 'settings to start from')
        .choices(Object.keys(PRESETS))
        .default('default'),
    )
    .option('--config <file>', 'settings file, YAML or JSON; also of RL for Real and simplexity RLVR')
    .option('--config-path <folder>', 'folder of the settings file, as Hydra takes it')
    .option('--config-name <name>', 'name of the settings file in it, without .yaml')
    .option('--num-steps <number>', 'training steps, unless a file or preset says', '20')
    .option(
      '--num-generators <number>',
      'generators that sample answers; 0 with --join, where others do it all',
      '2',
    )
    .addOption(joinOption())
    .option('--eval-samples <number>', 'held-out problems before and after training, likewise', '20')
    .option('--seed <number>', 'names the whole run: problems, samples, everything', '0')
    .option('--model <name>', `${MODEL_NAMES} (the bundled one that suits the task by default)`)
    .addOption(adapterOption())
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .addOption(
      new Option('--backend <name>', 'where to compute (GPU if there is one)').choices(['webgpu', 'wasm']),
    )
    .addOption(
      new Option('--set <setting=value>', 'the same as a bare setting=value; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--verbose', 'print sample answers')
    .option('--json <file>', 'write results and learning curve as JSON')
    .option('--out <folder>', 'write the run directory: model, optimizer, config, metrics, evaluations')
    .option(
      '--resume <folder>',
      'go on with the run of a run directory where its last checkpoint stands; beside it only --num-steps, --json, --track, --join, --hub-url, --allow-server and --verbose',
    )
    .option(
      '--track <trackers>',
      'send the run directory as it is written, by a process beside the run: tensorboard, wandb, mlflow, trackio, parted by commas',
      trackerList,
    )
    .option(
      '--full',
      "with the base's weights in each checkpoint of an adapter, which then needs nothing else",
    )
    .addHelpText(
      'after',
      `\nA preset gives way to a settings file, that to the options, and those to setting=value, which may also be written ` +
        `--setting value.\n\nSettings:\n${settingsHelp()}`,
    );
  return addGraderOptions(addDataOptions(words));
}

const statesTask = (words: readonly string[]): boolean =>
  words.some((word) => /^((--set=)?task=|--task\b|task_name=)/i.test(word));

/** The preset that words name; `option` is that of `--preset`. */
function presetNamed(words: readonly string[], option: PresetName): PresetName {
  const word = words.map((each) => /^(?:--set=)?preset=(.*)$/i.exec(each)?.[1]).findLast(Boolean);
  return PRESET_NAMES.find((name) => name === word) ?? option;
}

/** The task of rows, if neither the words nor a file of theirs name one; null if they do. */
function taskOfRows(words: readonly string[], options: Options): string | null {
  const { data, systemPrompt, preset } = options;
  if (data.length === 0 || statesTask(words)) return null;
  const named = namedFile(FILES_ON_DISK, options);
  const beside = named.kind === 'file' ? rowsBeside(named.text) : null;
  if (named.kind !== 'none' && beside === null) return null;
  // A data set that is a task by itself uses neither a grader nor a system prompt.
  const graded = graderOption(options) !== null || systemPrompt !== undefined;
  const dataset = beside === null ? datasetTask(presetNamed(words, preset)) : beside.task;
  return (graded ? null : dataset) ?? taskOfData(data);
}

/** True if words, or a file that they name, decide between LoRA and training all weights. */
export const statesLora = (words: readonly string[]): boolean =>
  words.some((word) => /^(--set=)?lora_?r(ank)?=|^--config/i.test(word));

const BESIDE_RESUME: ReadonlySet<string> = new Set([
  'resume',
  'numSteps',
  'json',
  'track',
  'verbose',
  'join',
  'hubUrl',
  'allowServer',
]);

/** Reads the words after `npx rl-playground train`. */
export function parseTrainArguments(words: readonly string[]): TrainArguments | ResumeArguments | Refusal {
  const program = line();
  const own = new Set(program.options.flatMap(({ long }) => long ?? []));
  const parsed = parsedWords<Options>(program, withSpelledOptions(words, own));
  if ('exitCode' in parsed) return parsed;
  const { options, args } = parsed;
  const chosen = (name: string): boolean => program.getOptionValueSource(name) === 'cli';
  // The lack of generators belongs to this machine and not to the settings: a run may be resumed where there are some.
  const alone = options.join !== undefined && options.numGenerators === '0';
  if (options.resume !== undefined) {
    const others = program.options.filter(
      (option) =>
        chosen(option.attributeName()) &&
        !BESIDE_RESUME.has(option.attributeName()) &&
        !(alone && option.long === '--num-generators'),
    );
    return resumeArguments(
      { ...options, resume: options.resume, alone },
      chosen('numSteps') ? options.numSteps : null,
      [...others.map(({ long, flags }) => long ?? flags), ...args],
    );
  }
  const { data, dataColumns, grader, graderSetting, score, systemPrompt } = options;
  if (options.adapter !== undefined && options.model === undefined)
    return {
      text: '--adapter needs --model, its base. An adapter that names its base is given as the --model itself.',
      exitCode: 2,
    };
  if (options.track !== undefined && options.out === undefined)
    return {
      text: '--track needs --out: trackers read the run directory while it is written.',
      exitCode: 2,
    };
  const made = taskOfRows(words, options);
  const stated = SETTING_OPTIONS.filter(([, key]) => !(alone && key === 'numGenerators')).flatMap(
    ([flag, key]) => {
      const ofRows = key === 'task' ? made : null;
      const text = ofRows ?? options[key];
      return text === undefined ? [] : [{ flag, key, text, chosen: ofRows !== null || chosen(key) }];
    },
  );
  const result = assemble(
    {
      file: options,
      preset: chosen('preset') ? options.preset : null,
      options: stated.filter((each) => each.chosen),
      usual: stated.filter((each) => !each.chosen && each.key !== 'task'),
      set: options.set,
      bare: args,
    },
    FILES_ON_DISK,
  );
  if (!result.ok) return { text: result.errors.join('\n'), exitCode: 2 };
  if (alone && result.config.oneProblemPerGenerator)
    return {
      text: '--num-generators 0: with one problem from each generator their number is the batch; give the number of problems of a step.',
      exitCode: 2,
    };
  const out = options.out ?? null;
  const settingsFile = options.config ?? options.configName ?? null;
  return {
    config: result.config,
    notes: out === null ? result.notes : result.notes.map((note) => withRunFolder(note, out)),
    track: askedTrackers(options.track ?? [], result.tracking, settingsFile ?? 'a setting'),
    loraStated: statesLora(words),
    backend: options.backend ?? null,
    data: {
      data,
      ...(dataColumns && { dataColumns }),
      ...(grader && { grader }),
      ...(graderSetting && graderSetting.length > 0 && { graderSetting }),
      ...(score !== undefined && { score }),
      ...(systemPrompt !== undefined && { systemPrompt }),
    },
    adapter: options.adapter ?? null,
    hub: hubWords(options),
    modelFile: words.some((word) => word.includes(result.config.model)) ? null : settingsFile,
    rewardModelFile: words.some((word) => word.includes(result.config.rewardModel)) ? null : settingsFile,
    verbose: options.verbose ?? false,
    json: options.json ?? null,
    out,
    full: options.full ?? false,
    join: options.join === undefined ? null : { address: options.join, local: !alone },
  };
}

/** The arguments of a run that is continued as it was begun. `others` are words that would change that. */
function resumeArguments(
  {
    resume,
    verbose,
    json,
    track = [],
    join: address,
    alone,
    ...words
  }: Pick<Options, 'verbose' | 'json' | 'track' | 'join' | 'hubUrl' | 'allowServer'> & {
    readonly resume: string;
    /** True if machines that join give all answers. */
    readonly alone: boolean;
  },
  numSteps: string | null,
  others: readonly string[],
): ResumeArguments | Refusal {
  if (others.length > 0)
    return {
      text: `--resume ${resume} takes everything else from the run; leave out ${others.join(', ')}. Only --num-steps, --json, --track, --join (with --num-generators 0), --hub-url, --allow-server and --verbose may stand beside it.`,
      exitCode: 2,
    };
  const rest = {
    resume,
    json: json ?? null,
    verbose: verbose ?? false,
    track: trackersAgain(resume, track),
    join: address === undefined ? null : { address, local: !alone },
    hub: hubWords(words),
  };
  if (numSteps === null) return { ...rest, numSteps: null };
  const parsed = runFieldsSchema.shape.numSteps.safeParse(valueFromText('numSteps', numSteps));
  if (parsed.success) return { ...rest, numSteps: parsed.data };
  return { text: `--num-steps: ${parsed.error.issues[0]?.message ?? 'no number'}`, exitCode: 2 };
}
