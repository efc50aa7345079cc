/** simplexity's RLVR settings on RPN arithmetic: what its configuration files describe, not what its loop ignores of them. */
import type { RunConfig } from './runFields.ts';

const TASK = 'rpn_arithmetic';

interface RlvrSettings {
  readonly name: string;
  /** Epochs, and most batches of each. */
  readonly epochs: number;
  readonly batchesPerEpoch: number;
  readonly batch: number;
  readonly maxComplexity: number;
  /** Prompt and answer together, tokens. */
  readonly maxLength: number;
  readonly learningRate: number;
  readonly temperature: number;
  readonly topP: number;
  readonly reward: { readonly [name: string]: number | string };
  readonly warmStartSteps: number;
}

const DIFFERENCES: readonly string[] = [
  'One update per batch: no PPO epochs, mini-batches, clipping of ratios or early stop by KL. The original’s files name these too, and its loop leaves them out.',
  'No value head, so no clipping and no coefficient of a value loss; its loop has none either.',
  'The loss averages over the tokens of an answer and then over answers; the original sums over the tokens.',
  'Ratios and losses use the unfiltered distribution at the sampling temperature; the original’s are of the filtered one, which breaks down where one token has more than top-p.',
  'The chosen reward is paid, with the answer worked out in full; the original’s loop pays for the form alone.',
  'No padding between prompt and answer; the original generates behind the padding and scores a text without it.',
  'As many batches an epoch as its settings say; its loop makes one more. Problems are never repeated, where the original draws the same ones in each epoch.',
  'The model is of the Llama family (RMSNorm, rotary positions, gated units, two layers); the original has one layer with learned positions, ReLU and no normalization.',
  'A supervised warm start comes first: from random weights nearly no answer has the form, and most batches have no gradient at all.',
  'Evaluation on held-out problems; the original has none.',
];

function valuesOf(settings: RlvrSettings): Partial<RunConfig> {
  const longestPrompt = 2 * settings.maxComplexity + 2;
  return {
    model: 'rpn-scratch',
    taskConfig: { max_complexity: settings.maxComplexity, ...settings.reward },
    scoring: 'upstream',
    warmStartSteps: settings.warmStartSteps,
    warmStartLearningRate: 1e-3,
    algorithm: 'reinforce',
    baseline: 'none',
    scaleByStd: false,
    lossReduction: 'sequence_mean',
    klBeta: 0,
    numSteps: settings.epochs * settings.batchesPerEpoch,
    problemsPerStep: settings.batch,
    rolloutsPerProblem: 1,
    maxTokens: settings.maxLength - longestPrompt,
    temperature: settings.temperature,
    topP: settings.topP,
    topK: 0,
    learningRate: settings.learningRate,
    lrSchedule: 'constant',
    warmupSteps: 0,
    adamBeta1: 0.9,
    adamBeta2: 0.999,
    adamEps: 1e-8,
    weightDecay: 0,
    clipNorm: 1,
    evalEvery: 0,
  };
}

function rlvrPreset(settings: RlvrSettings) {
  return {
    title: `RLVR on RPN arithmetic: ${settings.name}`,
    summary:
      `REINFORCE without a baseline on ${settings.batch} answers a step and up to ${settings.maxComplexity} operators, ` +
      `as simplexity’s "${settings.name}" settings describe it.`,
    differences: DIFFERENCES,
    task: TASK,
    values: (task: string): Partial<RunConfig> => (task === TASK ? valuesOf(settings) : {}),
  };
}

export const RLVR_PRESETS = {
  'rlvr-small': rlvrPreset({
    name: 'small',
    epochs: 10,
    batchesPerEpoch: 10,
    batch: 8,
    maxComplexity: 3,
    maxLength: 50,
    learningRate: 1e-5,
    temperature: 0.7,
    topP: 0.9,
    reward: { reward_type: 'combined', boxed_weight: 0.3, correct_weight: 0.7 },
    warmStartSteps: 1000,
  }),
  'rlvr-large': rlvrPreset({
    name: 'large',
    epochs: 50,
    batchesPerEpoch: 50,
    batch: 16,
    maxComplexity: 5,
    maxLength: 80,
    learningRate: 3e-6,
    temperature: 0.8,
    topP: 0.95,
    reward: { reward_type: 'combined', boxed_weight: 0.2, correct_weight: 0.8 },
    warmStartSteps: 1000,
  }),
  'rlvr-test': rlvrPreset({
    name: 'test',
    epochs: 3,
    batchesPerEpoch: 5,
    batch: 4,
    maxComplexity: 2,
    maxLength: 30,
    learningRate: 1e-4,
    temperature: 1,
    topP: 0.9,
    reward: { reward_type: 'boxed', boxed_weight: 1, correct_weight: 0 },
    warmStartSteps: 100,
  }),
} as const;
