/** Sets of values that a run starts from. */
import { LOSSES } from '@rl-playground/engine/parts';
import { findTask, MIXTURE } from '@rl-playground/tasks/parts';
import { beyondPreset, beyondRun } from './beyond.ts';
import { instruct, SHOWPIECES } from './instruct.ts';
import { MATH_INSTRUCT_PRESET } from './mathInstruct.ts';
import { mismatchPresets } from './mismatch.ts';
import { MONARCH_PRESET } from './monarch.ts';
import type { Preset } from './preset.ts';
import { RL_FOR_REAL_PRESET } from './rlForReal.ts';
import { RLVR_PRESETS } from './rlvr.ts';
import { TINKER_PRESETS } from './tinker.ts';
import { FIELD_KEYS, RUN_FIELDS, type RunConfig } from '../schema/schema.ts';
import type { PresetName } from '../schema/model.ts';

export type { Original, Preset } from './preset.ts';

/**
 * A model that is right in a quarter of its answers, or fewer, has little to learn from in 128 of them and is lost at 3e-4: many answers a step, at
 * a low rate. 512 answers take a CPU one to two seconds.
 */
const wide = (numSteps: number): Partial<RunConfig> => ({
  numSteps,
  problemsPerStep: 64,
  learningRate: 1e-4,
  warmupSteps: 20,
  removeConstantGroups: true,
  maxTokens: 128,
  evalEvery: 100,
});

/** The recommended settings of each task, tuned by experiment. */
export const TASK_DEFAULTS: Readonly<Record<string, Partial<RunConfig>>> = {
  sum_digits: {
    numSteps: 560,
    // With 16 problems, and advantages that are not divided, the first fifty steps, which teach the form, cost right answers.
    problemsPerStep: 24,
    advantageScale: 'group',
    learningRate: 3.5e-4,
    evalEvery: 100,
    // Two groups in three have nothing to learn from in the end.
    removeConstantGroups: true,
    taskConfig: { step_weight: 2 },
    // Half of the problems have four numbers, the most that the task asks for, and the other half two or three.
    curriculum: 'success',
    curriculumStart: 3,
    curriculumRaise: 1,
    curriculumLower: 0.02,
    curriculumReview: 0.5,
  },
  reverse_digits: { numSteps: 150, learningRate: 3e-4, taskConfig: { step_weight: 2 } },
  // From the model that was shown sums of all lengths it rises with some seeds and not with others.
  sum_digits_titan: beyondRun('sum_digits_titan'),
  // At 3e-4, with 16 problems, it forgets in ten steps most of what it knows, and learns it again.
  spell_backward: {
    numSteps: 150,
    problemsPerStep: 32,
    learningRate: 2e-4,
    warmupSteps: 20,
    advantageScale: 'group',
    removeConstantGroups: true,
    maxTokens: 128,
  },
  gcd: { numSteps: 250, learningRate: 3e-4, maxTokens: 128 },
  tinker_arithmetic: wide(200),
  chain_sum: wide(200),
  basic_arithmetic: wide(300),
  string_insertion: wide(250),
  number_sorting: wide(300),
  caesar_cipher: wide(300),
  // Warmed up for longer it has little left to learn; without the KL term one seed in three left out the steps of its answers.
  rpn_arithmetic: {
    ...wide(400),
    learningRate: 2e-4,
    klBeta: 0.05,
    maxTokens: 24,
    warmStartSteps: 110,
    warmStartLearningRate: 1e-3,
  },
  instructions: instruct(96),
  format_follow: instruct(64),
  single_digit_sums: instruct(32),
};

/** The settings for tasks of the family models, and a start for every other. */
const FAMILY_DEFAULTS: Partial<RunConfig> = { numSteps: 60, learningRate: 3e-4, maxTokens: 128 };

/** The bundled model that can do the task, at a difficulty that it can learn. */
function firstRun(task: string): Partial<RunConfig> {
  const starter = findTask(task)?.starter;
  if (!starter) return {};
  return { model: starter.model, taskConfig: starter.config as RunConfig['taskConfig'] };
}

/** A task that no bundled model can begin with is one for a model of the Hub, whose answers take long: one draw a problem is enough. */
function slowRun(task: string): Partial<RunConfig> {
  const known = findTask(task);
  return known && !known.starter ? { passAtK: 1 } : {};
}

const recommended = (task: string): Partial<RunConfig> => TASK_DEFAULTS[task] ?? FAMILY_DEFAULTS;

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  default: {
    summary: ({ loss, rolloutsPerProblem, problemsPerStep }) =>
      `${LOSSES[loss].label} with groups of ${rolloutsPerProblem} answers to ${problemsPerStep} problems per step.`,
    differences: [],
    original: null,
    values: recommended,
  },
  'beyond-demonstrations': beyondPreset(recommended),
  ...mismatchPresets(recommended),
  'monarch-digits': MONARCH_PRESET,
  ...TINKER_PRESETS,
  ...SHOWPIECES,
  'math-instruct': MATH_INSTRUCT_PRESET,
  'rl-for-real-grpo': RL_FOR_REAL_PRESET,
  ...RLVR_PRESETS,
};

/** The whole config that a preset gives for a task. */
export function defaultConfig(task: string, preset: PresetName = 'default'): RunConfig {
  const defaults = Object.fromEntries(
    FIELD_KEYS.map((key) => [key, RUN_FIELDS[key].info.default]),
  ) as RunConfig;
  const values = PRESETS[preset].values(task);
  return { ...defaults, ...firstRun(task), ...values, ...slowRun(task), task, preset };
}

/** The words on a preset for a task. */
export function presetSummary(preset: PresetName, task: string): string {
  const { summary } = PRESETS[preset];
  return typeof summary === 'string' ? summary : summary(defaultConfig(task, preset));
}

/** True if the rows of a task that asks some are here. */
export const rowsLoaded = (name: string): boolean => (findTask(name)?.dataset?.counts() ?? null) !== null;

/**
 * The task that a preset starts with, if it has one: that of its system, if the task's rows are here and the model is `able` to read them,
 * and otherwise the one in its place.
 */
export function presetTask(preset: PresetName, able: boolean): string | undefined {
  const { task, original } = PRESETS[preset];
  return (able ? original?.sameTasks.find(rowsLoaded) : undefined) ?? task;
}

/** The task of a dataset that the preset's system asks; null where it asks none. */
export function datasetTask(preset: PresetName): string | null {
  const asked = PRESETS[preset].original?.sameTasks ?? [];
  return asked.find((name) => findTask(name)?.dataset !== undefined) ?? null;
}

export function replacedModel(model: string, original: string): string {
  return `Model: ${model} instead of ${original}.`;
}

/** The substitutes for parts of the preset's own system, one sentence each; none for the recommended settings. */
export function replacements({ preset, model, task, mixture }: RunConfig): readonly string[] {
  const { original } = PRESETS[preset];
  if (original === null) return [];
  const asked = task === MIXTURE ? mixture.map((part) => part.task).join(', ') : task;
  return [
    ...(model === original.model ? [] : [replacedModel(model, original.model)]),
    ...(original.sameTasks.includes(asked) ? [] : [`Task: ${asked} instead of ${original.dataset}.`]),
  ];
}
