/** The digit experiment of PyTorch TorchTitan on Monarch. */
import type { RunConfig } from '../schema/schema.ts';
import { COMMON, type Preset } from './preset.ts';

/** The experiment's own. */
const DIGIT_TASKS: readonly string[] = ['sum_digits', 'reverse_digits'];

const COORDINATES: Partial<RunConfig> = {
  ...COMMON,
  loss: 'reinforce',
  lossReduction: 'sequence_mean',
  clipMeaning: 'epsilon',
  clipLow: 0.2,
  clipHigh: 0.2,
  oldLogprobs: 'sampler',
  baseline: 'moving',
  advantageScale: 'none',
  problemsPerStep: 2,
  rolloutsPerProblem: 1,
  oneProblemPerGenerator: true,
  temperature: 1,
  topP: 1,
  maxTokens: 256,
  learningRate: 5e-6,
  warmupSteps: 0,
  adamBeta2: 0.999,
  weightDecay: 0.01,
  clipNorm: 1,
  numSteps: 20,
  seed: 0,
  saveSteps: 0,
  evalSamples: 20,
  evalEvery: 0,
  evalTemperature: 0,
};

export const MONARCH_PRESET: Preset = {
  summary:
    'REINFORCE on one problem and one answer per generator and step, against a moving baseline, as in the digit ' +
    'experiment of PyTorch TorchTitan on Monarch. Its 20 steps of 2 answers show the machinery rather than learning.',
  differences: [
    'A right answer earns 1 and any other −1, with or without the tag, as the experiment’s document has it; its code also wants the tag (the task’s reward tag_required).',
    'Samples at temperature 1 without filters; the original sampled at 0.7 under the top-p, top-k and repetition penalty of the model’s own generation settings, but trained at temperature 1.',
    'Greedy evaluation applies no repetition penalty.',
    'Evaluation problems are held out; the original evaluated on the first training problems of its first generator.',
    'Problems come from this project’s own random streams, not from Python’s.',
    'Question and system texts are this project’s own, and the model is the one chosen on the page instead of Qwen2.5-0.5B-Instruct. Only models that read English are shown the system text and its worked example.',
    'Weight decay spares the weights of norms and biases; the original’s AdamW decays them too.',
    'Weights are kept in 32 bits; the original’s bfloat16 rounded most updates away.',
  ],
  original: {
    system: 'Monarch/TorchTitan',
    model: 'Qwen/Qwen2.5-0.5B-Instruct',
    dataset: 'sum_digits or reverse_digits',
    sameTasks: DIGIT_TASKS,
  },
  values: (task) => ({
    ...COORDINATES,
    ...(DIGIT_TASKS.includes(task) && { taskConfig: { reward_rule: 'correct_only' } }),
  }),
};
