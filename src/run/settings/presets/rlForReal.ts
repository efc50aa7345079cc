/** RL for Real's course script: TRL's GRPO trainer on reasoning-gym. */
import { findTask } from '@rl-playground/tasks/parts';
import type { RunConfig } from '../schema/schema.ts';
import { COMMON, type Preset } from './preset.ts';

const TASK = 'syllogism';

/** The first file's. */
const SYLLOGISMS = {
  allow_all: true,
  allow_no: true,
  allow_some: false,
  allow_some_not: false,
  invalid_ratio: 0.3,
};

/** True for tasks of reasoning-gym, which are all that the course's script asks. */
const isGymTask = (task: string): boolean => findTask(task)?.source === 'reasoning-gym';

/** The settings that it asks each of them with: a form that weighs as much as the accuracy, and thoughts in front of the answer. */
export const GYM_SETTINGS = { format_weight: 1, developer_prompt: 'think' } as const;

const COORDINATES: Partial<RunConfig> = {
  ...COMMON,
  loss: 'dapo',
  lossReduction: 'token_mean',
  clipMeaning: 'epsilon',
  clipLow: 0.2,
  clipHigh: 0.2,
  oldLogprobs: 'trainer',
  baseline: 'group',
  advantageScale: 'group',
  problemsPerStep: 2,
  rolloutsPerProblem: 4,
  oneProblemPerGenerator: false,
  temperature: 0.6,
  topP: 1,
  maxTokens: 384,
  learningRate: 1e-6,
  warmupSteps: 15,
  adamBeta2: 0.999,
  weightDecay: 0,
  clipNorm: 1,
  numSteps: 150,
  seed: 42,
  saveSteps: 1000,
  evalSamples: 30,
  evalEvery: 50,
  evalTemperature: 0.7,
};

export const RL_FOR_REAL_PRESET: Preset = {
  summary:
    'DAPO’s token-mean loss without KL on 2 problems of 4 answers a step, advantages divided by the standard deviation of their group, ' +
    'as in TRL’s GRPO trainer under the course’s first settings: syllogisms, accuracy plus the format of the answer.',
  differences: [
    'A small bundled model learns instead of Qwen2.5-1.5B-Instruct. The learning rate is the original’s, made for a model of that size, and moves a small one little.',
    'Models that read English are told to think between <think> and </think>, as by the original’s prompt DeepSeekZero. The bundled model reads the question alone: it writes the tags of its answer but none of its thoughts, begins with half of the reward for the format, and counts as wrong in format until it has all four.',
    'Answers end after 384 tokens instead of 512: prompt and answer share the 512 positions of the bundled models. With a larger model set 512.',
    'The learning rate warms up from 1/16 of its full value; the original’s begins at 0, so that its first step changes nothing.',
    'Samples without filters; the original adds the top-p, top-k and repetition penalty of the model’s own generation settings.',
    'Evaluation problems are held out; the original’s are its training problems, shifted by one.',
    'A right answer in evaluation is one with the full score; the original compares texts.',
    'Weights are kept in 32 bits; the original’s are bfloat16.',
    'Question and system texts are this project’s own, and problems come from its own random streams.',
  ],
  task: TASK,
  original: {
    system: 'RL for Real',
    model: 'Qwen/Qwen2.5-1.5B-Instruct',
    dataset: 'reasoning-gym syllogism',
    sameTasks: [TASK],
  },
  values: (task) => ({
    ...COORDINATES,
    scoring: 'upstream',
    ...(isGymTask(task) && {
      taskConfig: {
        ...((task === TASK ? SYLLOGISMS : findTask(task)?.starter?.config) as RunConfig['taskConfig']),
        ...GYM_SETTINGS,
      },
    }),
  }),
};
