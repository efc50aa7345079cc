/**
 * The version of the defaults that links and records leave out or were made under. A link holds only what differs from the defaults, so
 * whoever reads it years later needs those of its time; a record of a run lacks settings that came after it. Links say the version as
 * `v`, checkpoints under `rl_playground.version`; where none is said it is 0, which is how everything was until versions were said
 * (commit 98cdedd).
 *
 * To change a default, or what a bundled model is: raise `SETTINGS_VERSION` if the one there is was published, and say in `PAST` what was
 * before. `settingsVersion.test.ts` holds version 0 against what that commit gave.
 */
import { findTask, GYM_MODEL } from '@rl-playground/tasks/parts';
import { defaultConfig } from './presets.ts';
import { isJsonObject } from '@rl-playground/base/json';
import { parseConfig, type ParsedConfig } from './check.ts';
import type { RunConfig } from './schema.ts';
import { PRESET_NAMES, type PresetName } from './settings/model.ts';

export const SETTINGS_VERSION = 6;

/** What the versions up to one had otherwise than the next. */
export interface PastSettings {
  /** The last version of which it is true. */
  readonly version: number;
  /** By default, where it was another value than later, or where the program did as this value says before there was the setting. */
  readonly defaults: (task: string, preset: PresetName) => Partial<RunConfig>;
  /** Bundled models that have another name since, by the name that they had. */
  readonly models: Readonly<Record<string, string>>;
}

const RLVR: readonly PresetName[] = ['rlvr-small', 'rlvr-large', 'rlvr-test'];
const BEYOND: PresetName = 'beyond-demonstrations';
const MISMATCHED: readonly PresetName[] = ['sampler-mismatch', 'sampler-mismatch-cured'];
/** Presets that begin with the recommended settings of a task. */
const isRecommended = (preset: PresetName): boolean => preset === 'default' || MISMATCHED.includes(preset);

/** Up to version 5, steps of two tasks had fewer answers, and the curriculum of `sum_digits` went on to five numbers. */
const NARROWER: Readonly<Record<string, Partial<RunConfig>>> = {
  sum_digits: { numSteps: 800, curriculumRaise: 0.8, curriculumReview: 0.6 },
  spell_backward: { numSteps: 250, warmupSteps: 5, removeConstantGroups: false },
};

function upTo5(task: string, preset: PresetName): Partial<RunConfig> {
  const former = NARROWER[task];
  if (former === undefined || !(isRecommended(preset) || preset === BEYOND)) return {};
  return { problemsPerStep: 16, learningRate: 3e-4, advantageScale: 'none', ...former };
}

/** Up to version 4, six more tasks began with the models of their families. */
const FAMILY_UP_TO_4: Readonly<Record<string, string>> = {
  tinker_arithmetic: 'starter-arithmetic',
  chain_sum: 'starter-arithmetic',
  basic_arithmetic: 'starter-arithmetic',
  string_insertion: 'starter-words',
  number_sorting: 'starter-words',
  caesar_cipher: 'starter-words',
};
/** What their steps, and those of two tasks more, were then. */
const NARROW: Partial<RunConfig> = {
  problemsPerStep: 16,
  warmupSteps: 5,
  removeConstantGroups: false,
  evalEvery: 20,
};

const TITAN: Partial<RunConfig> = {
  ...NARROW,
  model: 'starter',
  taskConfig: {},
  numSteps: 200,
  learningRate: 1.5e-4,
  maxTokens: 96,
  curriculum: 'off',
  curriculumStart: 1,
  curriculumRaise: 0.7,
  curriculumLower: 0.3,
  curriculumReview: 0,
  curriculumWindow: 512,
  levelSamples: 0,
};

function upTo4(task: string, preset: PresetName): Partial<RunConfig> {
  if (task === 'sum_digits_titan' && isRecommended(preset)) return TITAN;
  const recommended = isRecommended(preset) || preset === BEYOND;
  if (task === 'sum_digits' && recommended) return { numSteps: 700, removeConstantGroups: false };
  if (task === 'rpn_arithmetic' && recommended)
    return { ...NARROW, numSteps: 200, warmStartSteps: 200, klBeta: 0 };
  const model = FAMILY_UP_TO_4[task];
  if (model === undefined || defaultConfig(task, preset).model !== GYM_MODEL) return {};
  return { model, ...(recommended ? { ...NARROW, numSteps: 60, learningRate: 3e-4 } : {}) };
}

/** What the recommended settings of some tasks were up to version 1. */
const RECOMMENDED: Readonly<Record<string, Partial<RunConfig>>> = {
  sum_digits: {
    taskConfig: {},
    numSteps: 150,
    learningRate: 3e-4,
    evalEvery: 20,
    curriculum: 'off',
    curriculumStart: 1,
    curriculumRaise: 0.7,
    curriculumLower: 0.3,
    curriculumReview: 0,
  },
  reverse_digits: { taskConfig: {}, numSteps: 80, learningRate: 3e-4 },
  rpn_arithmetic: { numSteps: 60, learningRate: 3e-4, warmStartSteps: 500 },
};

/** Up to version 2, two tasks began with the models of their families, and runs of three took fewer steps, at 3e-4. */
const FAMILY: Readonly<Record<string, string>> = {
  gcd: 'starter-arithmetic',
  spell_backward: 'starter-words',
};
const STEPS: Readonly<Record<string, number>> = { gcd: 60, spell_backward: 60, sum_digits_titan: 80 };

/** The model where the preset names none of its own, and the number of steps under the recommended settings. */
function upTo2(task: string, preset: PresetName): Partial<RunConfig> {
  const [model, numSteps] = [FAMILY[task], STEPS[task]];
  const usesStarter = defaultConfig(task, preset).model === GYM_MODEL;
  return {
    ...(model !== undefined && usesStarter ? { model } : {}),
    ...(numSteps !== undefined && isRecommended(preset) ? { numSteps, learningRate: 3e-4 } : {}),
  };
}

/** What presets set of their tasks up to version 2, where it was more than the recommended settings do. */
const FORMER_TASK_SETTINGS: Readonly<
  Partial<Record<PresetName, Readonly<Record<string, RunConfig['taskConfig']>>>>
> = {
  'monarch-digits': { sum_digits: {}, reverse_digits: {} },
  'rl-for-real-grpo': {
    syllogism: {
      allow_all: true,
      allow_no: true,
      allow_some: false,
      allow_some_not: false,
      invalid_ratio: 0.3,
      format_weight: 1,
    },
  },
  'tinker-rl-basic': { tinker_arithmetic: { format_weight: 0.1 }, gsm8k: { format_weight: 0.1 } },
  'tinker-rl-loop': { tinker_arithmetic: { format_weight: 0 }, gsm8k: { format_weight: 0 } },
};

const starterConfig = (task: string): RunConfig['taskConfig'] =>
  (findTask(task)?.starter?.config ?? {}) as RunConfig['taskConfig'];

/** Oldest first. */
const PAST: readonly PastSettings[] = [
  {
    version: 0,
    // Evaluations drew one answer, and the distance to the reference was taken of all answers.
    defaults: () => ({ passAtK: 1, klMeasuredShare: 1 }),
    models: {},
  },
  {
    version: 1,
    // Demonstrations ended wrong on purpose: starter and warm start knew their tasks, and had habits to unlearn.
    defaults: (task, preset) => ({
      ...(isRecommended(preset) ? RECOMMENDED[task] : {}),
      ...(MISMATCHED.includes(preset) ? { samplerNoise: 0.8 } : {}),
    }),
    models: { starter: 'starter-v1' },
  },
  {
    version: 2,
    // RLVR's presets had no value head, and a model of another shape; others asked and paid otherwise than the documents of their originals say.
    defaults: (task, preset) => ({
      ...upTo2(task, preset),
      ...(RLVR.includes(preset) ? { baseline: 'none' } : {}),
      ...(RLVR.includes(preset) && task === 'rpn_arithmetic' ? { model: 'rpn-scratch' } : {}),
      ...(FORMER_TASK_SETTINGS[preset]
        ? { taskConfig: FORMER_TASK_SETTINGS[preset][task] ?? starterConfig(task) }
        : {}),
    }),
    models: {},
  },
  {
    version: 3,
    // One task alone went beyond its demonstrations; under that preset the others had their recommended settings.
    defaults: (task, preset) =>
      preset === BEYOND && task !== 'sum_digits_titan' ? { ...defaultsOf(4, task, 'default'), preset } : {},
    models: {},
  },
  { version: 4, defaults: upTo4, models: {} },
  { version: 5, defaults: upTo5, models: {} },
];

/** The name now of a model that `version` knew as `model`. */
export function modelSince(version: number, model: string, past: readonly PastSettings[] = PAST): string {
  return past
    .filter((each) => each.version >= version)
    .reduce((name, { models }) => (Object.hasOwn(models, name) ? (models[name] ?? name) : name), model);
}

/** The whole config that a task and a preset gave under `version`, its model by the name that it has now. */
export function defaultsOf(
  version: number,
  task: string,
  preset: PresetName,
  past: readonly PastSettings[] = PAST,
): RunConfig {
  const since = past.filter((each) => each.version >= version);
  const config = since.reduceRight<RunConfig>(
    (later, { defaults }) => ({ ...later, ...defaults(task, preset) }),
    defaultConfig(task, preset),
  );
  return { ...config, model: modelSince(version, config.model, past) };
}

/**
 * The whole config of a run that was recorded under `version`: settings that came later as the program did before there were any, and the model
 * by the name that it has now. Never throws.
 */
export function parseRecord(
  record: unknown,
  version: number,
  past: readonly PastSettings[] = PAST,
): ParsedConfig {
  if (!isJsonObject(record)) return parseConfig(record);
  const { task, model } = record;
  const preset = PRESET_NAMES.find((name) => name === record['preset']);
  if (typeof task !== 'string' || preset === undefined) return parseConfig(record);
  const renamed = typeof model === 'string' ? { model: modelSince(version, model, past) } : {};
  return parseConfig({ ...defaultsOf(version, task, preset, past), ...record, ...renamed });
}
