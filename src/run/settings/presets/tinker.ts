/** The two first recipes of the Tinker cookbook. */
import { LORA_TARGETS } from '@rl-playground/engine/parts';
import { FAMILY_MODELS } from '@rl-playground/tasks/parts';
import type { RunConfig } from '../schema/schema.ts';
import { COMMON, type Preset } from './preset.ts';

const TASK = 'tinker_arithmetic';
/** GSM8K's training rows, in groups of the recipes' batch. */
const GSM8K_ROWS = 7473;
const BATCH = 128;

const COORDINATES: Partial<RunConfig> = {
  ...COMMON,
  loss: 'importance_sampling',
  lossReduction: 'sum',
  clipMeaning: 'ratio_bounds',
  clipLow: 0.8,
  clipHigh: 1.2,
  oldLogprobs: 'sampler',
  baseline: 'group',
  advantageScale: 'none',
  problemsPerStep: BATCH,
  rolloutsPerProblem: 16,
  oneProblemPerGenerator: false,
  temperature: 1,
  topP: 1,
  maxTokens: 256,
  learningRate: 4e-5,
  warmupSteps: 0,
  adamBeta2: 0.95,
  weightDecay: 0,
  clipNorm: 0,
  loraRank: 32,
  loraAlpha: 32,
  loraTargets: [...LORA_TARGETS],
  numSteps: Math.ceil(GSM8K_ROWS / BATCH),
  seed: 0,
  saveSteps: 20,
  evalSamples: 200,
  evalEvery: 0,
  evalTemperature: 1,
};

const DIFFERENCES: readonly string[] = [
  'Asks the cookbook’s addition until GSM8K’s rows and a larger model are loaded: the bundled models cannot read word problems. With both, choosing this preset, or the task GSM8K under it, asks GSM8K, a worked example in front.',
  'Number of steps and batch are those of one pass over GSM8K.',
  'A small bundled model learns instead of Llama-3.1-8B. The learning rate is the recipe’s, made for a model of that size, and moves a small one little.',
  'A proper ending is the token that ends a turn in the model’s chat template, or for base models the stop string alone, as in the original.',
  'Question texts and the worked example are this project’s own, and problems come from its own random streams.',
];

function tinkerPreset(text: {
  readonly recipe: string;
  readonly summary: string;
  readonly differences: readonly string[];
  readonly formatWeight: number;
  readonly changes: Partial<RunConfig>;
}): Preset {
  return {
    summary: text.summary,
    differences: [...DIFFERENCES, ...text.differences],
    task: TASK,
    original: {
      system: `Tinker cookbook, ${text.recipe}`,
      model: 'meta-llama/Llama-3.1-8B',
      dataset: 'GSM8K',
      sameTasks: ['gsm8k'],
    },
    values: (task) => ({
      ...COORDINATES,
      // The recipe's rate is too low for a small model to learn a skill within its steps; a habit it loses.
      ...(task === TASK ? { model: FAMILY_MODELS[0] } : {}),
      ...(task === TASK || task === 'gsm8k'
        ? { taskConfig: { format_weight: text.formatWeight, require_stop_string: true } }
        : {}),
      ...text.changes,
    }),
  };
}

export const TINKER_PRESETS = {
  'tinker-rl-basic': tinkerPreset({
    recipe: 'rl_basic',
    summary:
      'Importance sampling with group-centred advantages on groups of 16 answers to 128 problems, summed over all tokens, with LoRA ' +
      'of rank 32 and a reward of 1, 0.9, 0 or −0.1: right or wrong, less a tenth for a wrong format.',
    differences: [
      'Evaluates on held-out problems before and after the run; the recipe switches evaluation off.',
    ],
    formatWeight: 0.1,
    changes: {},
  }),
  'tinker-rl-loop': tinkerPreset({
    recipe: 'rl_loop',
    summary:
      'The cookbook’s loop in one file: as rl_basic, but a right answer earns 1 and any other 0, and groups whose answers all got the same ' +
      'reward are dropped.',
    differences: [
      'Where all groups of a step got the same reward one of them is kept; the original leaves the step out.',
      'Evaluates on held-out problems before and after the run; the original has no evaluation.',
    ],
    formatWeight: 0,
    changes: { removeConstantGroups: true, numSteps: Math.floor(GSM8K_ROWS / BATCH) },
  }),
} as const;
