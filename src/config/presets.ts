/** Sets of values that a run starts from. */
import { findTask } from '../tasks/index.ts';
import { RLVR_PRESETS } from './rlvrPresets.ts';
import { FIELD_KEYS, RUN_FIELDS } from './runFields.ts';
import type { PresetName, RunConfig } from './runFields.ts';

/** What the recommended settings change per task; tuned by experiment. */
export const TASK_DEFAULTS: Readonly<Record<string, Partial<RunConfig>>> = {
  sum_digits: { numSteps: 150, learningRate: 3e-4 },
  reverse_digits: { numSteps: 80, learningRate: 3e-4 },
  sum_digits_titan: { numSteps: 80, learningRate: 3e-4 },
  rpn_arithmetic: {
    numSteps: 60,
    learningRate: 3e-4,
    maxTokens: 24,
    warmStartSteps: 500,
    warmStartLearningRate: 1e-3,
  },
};

/** The same for the tasks of the family models, and a start for every other. */
const FAMILY_DEFAULTS: Partial<RunConfig> = { numSteps: 60, learningRate: 3e-4, maxTokens: 128 };

/** The bundled model that can do the task, at a difficulty that it can learn. */
function firstRun(task: string): Partial<RunConfig> {
  const starter = findTask(task)?.starter;
  if (!starter) return {};
  return { model: starter.model, taskConfig: starter.config as RunConfig['taskConfig'] };
}

export interface Preset {
  readonly title: string;
  readonly summary: string;
  /** Where it departs from the system that it reproduces; empty where it reproduces none. */
  readonly differences: readonly string[];
  /** The one task that it is made for, where there is one. */
  readonly task?: string;
  values(task: string): Partial<RunConfig>;
}

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  ...RLVR_PRESETS,
  default: {
    title: 'Recommended for the task',
    summary: 'GRPO with groups of 8 answers to 16 problems per step.',
    differences: [],
    values: (task) => TASK_DEFAULTS[task] ?? FAMILY_DEFAULTS,
  },
  'monarch-digits': {
    title: 'Monarch digits (the original experiment)',
    summary:
      'REINFORCE on one problem and one answer per generator and step, against a moving baseline, as in the digit ' +
      'experiment of PyTorch TorchTitan on Monarch. Its 20 steps of 2 answers show the machinery rather than learning.',
    differences: [
      'Samples at temperature 1 without filters; the original sampled at 0.7 under the top-p, top-k and repetition penalty of the model’s own generation settings, but trained at temperature 1.',
      'Greedy evaluation applies no repetition penalty.',
      'Evaluation problems are held out; the original evaluated on the first training problems of its first generator.',
      'Problems come from this project’s own random streams, not from Python’s.',
      'Question and system texts are this project’s own, and the model is the one chosen on the page instead of Qwen2.5-0.5B-Instruct.',
      'Weights are kept in 32 bits; the original’s bfloat16 rounded most updates away.',
    ],
    values: () => ({
      algorithm: 'reinforce',
      numSteps: 20,
      numGenerators: 2,
      oneProblemPerGenerator: true,
      problemsPerStep: 2,
      rolloutsPerProblem: 1,
      baseline: 'moving',
      movingBaselineStart: 0.5,
      movingBaselineDecay: 0.9,
      scaleByStd: false,
      lossReduction: 'sequence_mean',
      klBeta: 0,
      temperature: 1,
      topP: 1,
      topK: 0,
      maxTokens: 256,
      learningRate: 5e-6,
      lrSchedule: 'constant',
      warmupSteps: 0,
      adamBeta1: 0.9,
      adamBeta2: 0.999,
      adamEps: 1e-8,
      weightDecay: 0.01,
      clipNorm: 1,
      evalSamples: 20,
      evalEvery: 0,
      evalTemperature: 0,
    }),
  },
};

/** The whole config that a preset gives for a task. */
export function defaultConfig(task: string, preset: PresetName = 'default'): RunConfig {
  const defaults = Object.fromEntries(
    FIELD_KEYS.map((key) => [key, RUN_FIELDS[key].info.default]),
  ) as RunConfig;
  return { ...defaults, ...firstRun(task), ...PRESETS[preset].values(task), task, preset };
}
