/** simplexity's RLVR settings on RPN arithmetic: what its configuration files describe, not what its loop ignores of them. */
import type { RunConfig } from '../schema/schema.ts';
import { COMMON, type Preset } from './preset.ts';

const TASK = 'rpn_arithmetic';

/** The settings in one of simplexity's training files. */
export interface RlvrSettings {
  readonly name: string;
  /** Epochs, and most batches of each. */
  readonly epochs: number;
  readonly batchesPerEpoch: number;
  readonly batch: number;
  readonly miniBatch: number;
  readonly gradientAccumulation: number;
  readonly ppoEpochs: number;
  readonly maxComplexity: number;
  /** Prompt and answer together, tokens. */
  readonly maxLength: number;
  readonly learningRate: number;
  /** 0 where the file does not ask to stop early. */
  readonly targetKl: number;
  readonly temperature: number;
  readonly topP: number;
  readonly reward: { readonly [name: string]: number | string };
  readonly checkpointEvery: number;
  readonly warmStartSteps: number;
}

const DIFFERENCES: readonly string[] = [
  'The clipped updates that the original’s files describe are made: several passes over mini-batches, and a stop by KL where the file asks for one. The original’s loop takes one plain update instead.',
  'The value head with the clipping and the coefficient that the files give is there, with γ 1 and λ 0.95 as TRL had them; its loop has none.',
  'Ratios and losses use the unfiltered distribution at the sampling temperature; the original’s are of the filtered one, which breaks down where one token has more than top-p.',
  'The chosen reward is paid, with the answer worked out in full; the original’s loop pays for the format alone.',
  'No padding between prompt and answer; the original generates behind the padding and scores a text without it.',
  'As many batches an epoch as its settings say; its loop makes one more. Problems are never repeated, where the original draws the same ones in each epoch.',
  'The model has the original’s layer, channels, heads, ReLU units and biases, with RMSNorm and rotary positions (transformers’ Arcee); the original has learned positions and no normalization, which no model of transformers has.',
  'A supervised warm-up comes first, as short as it may be: from random weights nearly no answer has the format, and most batches have no gradient at all.',
  'Evaluation on held-out problems; the original has none.',
];

/** Signs of the longest prompt: its start, and one more operand than operators. */
export const longestPrompt = (maxComplexity: number): number => 2 * maxComplexity + 2;

function coordinatesOf(settings: RlvrSettings): Partial<RunConfig> {
  return {
    ...COMMON,
    loss: 'ppo',
    lossReduction: 'sequence_sum',
    clipMeaning: 'epsilon',
    clipLow: 0.2,
    clipHigh: 0.2,
    oldLogprobs: 'trainer',
    baseline: 'value',
    advantageScale: 'none',
    targetKl: settings.targetKl,
    ppoEpochs: settings.ppoEpochs,
    miniBatchSize: settings.miniBatch,
    gradientAccumulation: settings.gradientAccumulation,
    problemsPerStep: settings.batch,
    rolloutsPerProblem: 1,
    oneProblemPerGenerator: false,
    temperature: settings.temperature,
    topP: settings.topP,
    maxTokens: settings.maxLength - longestPrompt(settings.maxComplexity),
    learningRate: settings.learningRate,
    warmupSteps: 0,
    adamBeta2: 0.999,
    weightDecay: 0,
    clipNorm: 1,
    numSteps: settings.epochs * settings.batchesPerEpoch,
    seed: 0,
    saveSteps: settings.checkpointEvery * settings.batchesPerEpoch,
    evalSamples: 200,
    evalEvery: 0,
    evalTemperature: 1,
  };
}

/** The settings that go with its own task alone. */
function ofTheTask(settings: RlvrSettings): Partial<RunConfig> {
  return {
    model: 'rlvr-scratch',
    taskConfig: { max_complexity: settings.maxComplexity, ...settings.reward },
    scoring: 'upstream',
    warmStartSteps: settings.warmStartSteps,
    warmStartLearningRate: 1e-3,
  };
}

function rlvrPreset(settings: RlvrSettings): Preset {
  return {
    summary:
      `PPO’s clipped updates with a value head on ${settings.batch} answers a step and up to ${settings.maxComplexity} operators, ` +
      `as simplexity’s "${settings.name}" settings describe it.`,
    differences: DIFFERENCES,
    task: TASK,
    original: {
      system: 'simplexity RLVR',
      model: 'a decoder of 203,904 weights (one layer, 128 channels, ReLU)',
      dataset: 'RPN arithmetic modulo 13',
      sameTasks: [TASK],
    },
    values: (task) => ({ ...coordinatesOf(settings), ...(task === TASK ? ofTheTask(settings) : {}) }),
  };
}

/** The settings by the names of the presets. */
export const RLVR_SETTINGS = {
  'rlvr-small': {
    name: 'small',
    epochs: 10,
    batchesPerEpoch: 10,
    batch: 8,
    miniBatch: 4,
    gradientAccumulation: 1,
    ppoEpochs: 4,
    maxComplexity: 3,
    maxLength: 50,
    learningRate: 1e-5,
    targetKl: 0,
    temperature: 0.7,
    topP: 0.9,
    reward: { reward_type: 'combined', boxed_weight: 0.3, correct_weight: 0.7 },
    checkpointEvery: 0,
    warmStartSteps: 1000,
  },
  'rlvr-large': {
    name: 'large',
    epochs: 50,
    batchesPerEpoch: 50,
    batch: 16,
    miniBatch: 8,
    gradientAccumulation: 2,
    ppoEpochs: 4,
    maxComplexity: 5,
    maxLength: 80,
    learningRate: 3e-6,
    targetKl: 0.05,
    temperature: 0.8,
    topP: 0.95,
    reward: { reward_type: 'combined', boxed_weight: 0.2, correct_weight: 0.8 },
    checkpointEvery: 10,
    warmStartSteps: 600,
  },
  'rlvr-test': {
    name: 'test',
    epochs: 3,
    batchesPerEpoch: 5,
    batch: 4,
    miniBatch: 2,
    gradientAccumulation: 1,
    ppoEpochs: 2,
    maxComplexity: 2,
    maxLength: 30,
    learningRate: 1e-4,
    targetKl: 0,
    temperature: 1,
    topP: 0.9,
    reward: { reward_type: 'boxed', boxed_weight: 1, correct_weight: 0 },
    checkpointEvery: 0,
    warmStartSteps: 100,
  },
} as const satisfies Readonly<Record<string, RlvrSettings>>;

export const RLVR_PRESETS = {
  'rlvr-small': rlvrPreset(RLVR_SETTINGS['rlvr-small']),
  'rlvr-large': rlvrPreset(RLVR_SETTINGS['rlvr-large']),
  'rlvr-test': rlvrPreset(RLVR_SETTINGS['rlvr-test']),
} as const;
