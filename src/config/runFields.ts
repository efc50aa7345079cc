/** All settings of a run: each one's schema, bounds, default and words. */
import type * as z from 'zod';
import { choice, count, field, flag, integer, line, quantity } from './fields.ts';
import { mixtureSchema, taskConfigSchema } from './taskFields.ts';

export const PRESET_NAMES = ['default', 'monarch-digits'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

export const RUN_FIELDS = {
  task: field(line(120), {
    label: 'Task',
    help: 'What the model is asked, and how its answer is scored.',
    group: 'Task',
    advanced: false,
    default: 'sum_digits',
  }),
  taskConfig: field(taskConfigSchema, {
    label: 'Task settings',
    help: "What differs from the task's own defaults: ranges, difficulty, weights of its reward.",
    group: 'Task',
    advanced: false,
    default: {},
  }),
  mixture: field(mixtureSchema, {
    label: 'Mixture',
    help: 'Under the task "mixture": the tasks that problems come from, each with a weight and settings of its own.',
    group: 'Task',
    advanced: false,
    default: [],
  }),
  scoring: field(choice(['strict', 'upstream']), {
    label: 'Scoring',
    help: 'Strict gives no credit for tricks. Upstream gives exactly the numbers of the system that a task comes from, leaks included, for comparing.',
    group: 'Task',
    advanced: true,
    default: 'strict',
    choices: { strict: 'Strict', upstream: 'As upstream' },
  }),
  curriculum: field(choice(['off', 'success']), {
    label: 'Curriculum',
    help: 'Whether difficulty follows success: up a level when most answers are right, down one when few are.',
    group: 'Curriculum',
    advanced: true,
    default: 'off',
    choices: { off: 'Off: the settings stay', success: 'By success rate' },
  }),
  curriculumStart: field(count(1, 20), {
    label: 'First level',
    help: 'The level of difficulty that a curriculum starts at; 1 is the easiest.',
    group: 'Curriculum',
    advanced: true,
    default: 1,
  }),
  curriculumRaise: field(quantity(0, 1), {
    label: 'Harder above',
    help: 'Share of right answers from which on the next level begins.',
    group: 'Curriculum',
    advanced: true,
    default: 0.7,
  }),
  curriculumLower: field(quantity(0, 1), {
    label: 'Easier below',
    help: 'Share of right answers below which the level before comes back.',
    group: 'Curriculum',
    advanced: true,
    default: 0.3,
  }),
  curriculumWindow: field(count(1, 100_000), {
    label: 'Answers looked at',
    help: 'How many of the newest answers of a level the share is taken over; no change before there are as many.',
    group: 'Curriculum',
    advanced: true,
    default: 512,
  }),
  curriculumEvery: field(count(1, 10_000), {
    label: 'Level check every',
    help: 'Steps between two looks at the share.',
    group: 'Curriculum',
    advanced: true,
    default: 5,
  }),
  preset: field(choice(PRESET_NAMES), {
    label: 'Preset',
    help: 'The set of values that the settings start from.',
    group: 'Task',
    advanced: true,
    default: 'default',
    choices: {
      default: 'Recommended for the task',
      'monarch-digits': 'Monarch digits (the original experiment)',
    },
  }),
  model: field(line(200), {
    label: 'Model',
    help: 'The language model that learns. "starter" is the small one that comes with the page.',
    group: 'Model',
    advanced: false,
    default: 'starter',
  }),
  renderer: field(choice(['auto', 'chat_template', 'role_colon']), {
    label: 'Renderer',
    help: 'How a conversation becomes tokens: by the model’s own chat template, or as "User: …" paragraphs for base models, whose answers end where they begin to speak for the user.',
    group: 'Model',
    advanced: true,
    default: 'auto',
    choices: {
      auto: 'Recommended for the model',
      chat_template: 'Chat template of the model',
      role_colon: 'Role and colon (base models)',
    },
  }),
  warmStartSteps: field(count(0, 100_000), {
    label: 'Warm start: updates',
    help: 'Supervised updates before reinforcement, on worked answers that are imperfect on purpose. 0 begins with reinforcement at once.',
    group: 'Warm start',
    advanced: true,
    default: 0,
  }),
  warmStartLearningRate: field(quantity(0, 1), {
    label: 'Warm start: learning rate',
    help: 'Its largest value in the warm start: it rises over the first tenth of the updates and then falls to zero.',
    group: 'Warm start',
    advanced: true,
    default: 3e-3,
  }),
  warmStartBatch: field(count(1, 4096), {
    label: 'Warm start: answers per update',
    help: 'Worked answers that the model learns from in each update of the warm start.',
    group: 'Warm start',
    advanced: true,
    default: 64,
  }),
  algorithm: field(choice(['grpo', 'reinforce']), {
    label: 'Algorithm',
    help: 'GRPO compares several answers to the same problem; REINFORCE compares each answer with the baseline you choose.',
    group: 'Algorithm',
    advanced: false,
    default: 'grpo',
    choices: { grpo: 'GRPO', reinforce: 'REINFORCE' },
  }),
  numSteps: field(count(1, 100_000), {
    label: 'Steps',
    help: 'How many times the weights are updated.',
    group: 'Run',
    advanced: false,
    default: 150,
  }),
  problemsPerStep: field(count(1, 1024), {
    label: 'Problems per step',
    help: 'Different problems asked in each step.',
    group: 'Algorithm',
    advanced: false,
    default: 16,
  }),
  rolloutsPerProblem: field(count(1, 256), {
    label: 'Answers per problem',
    help: 'Answers sampled for each problem; GRPO calls them a group.',
    group: 'Algorithm',
    advanced: false,
    default: 8,
  }),
  oneProblemPerGenerator: field(flag(), {
    label: 'One problem per generator',
    help: 'Each generator brings exactly one problem to a step, so the number of generators sets the batch.',
    group: 'Algorithm',
    advanced: true,
    default: false,
  }),
  baseline: field(choice(['group', 'moving', 'none']), {
    label: 'Baseline',
    help: 'What is subtracted from each reward: the mean of its group, a moving average over steps, or nothing.',
    group: 'Algorithm',
    advanced: true,
    default: 'group',
    choices: { group: 'Mean of the group', moving: 'Moving average', none: 'None' },
  }),
  movingBaselineStart: field(quantity(-1, 1), {
    label: 'Moving baseline: start',
    help: 'Its value in the first step.',
    group: 'Algorithm',
    advanced: true,
    default: 0.5,
  }),
  movingBaselineDecay: field(quantity(0, 1), {
    label: 'Moving baseline: decay',
    help: 'Share of the old value that is kept after each step; the rest is the mean reward of the step.',
    group: 'Algorithm',
    advanced: true,
    default: 0.9,
  }),
  scaleByStd: field(flag(), {
    label: 'Divide by the standard deviation',
    help: "Divides each advantage by the standard deviation of its group's rewards, as the first GRPO paper did.",
    group: 'Algorithm',
    advanced: true,
    default: false,
  }),
  lossReduction: field(choice(['token_mean', 'sequence_mean']), {
    label: 'Loss average',
    help: 'Over all tokens of the step alike, or over each answer first and then over the answers.',
    group: 'Algorithm',
    advanced: true,
    default: 'token_mean',
    choices: { token_mean: 'All tokens alike', sequence_mean: 'All answers alike' },
  }),
  klBeta: field(quantity(0, 10), {
    label: 'KL penalty β',
    help: 'Weight of the penalty for moving away from the model at the start of the run. 0 only measures it.',
    group: 'Algorithm',
    advanced: true,
    default: 0,
  }),
  temperature: field(quantity(0.05, 5), {
    label: 'Temperature',
    help: 'Divides the logits when answers are sampled for training: above 1 is more random, below 1 less.',
    group: 'Sampling',
    advanced: false,
    default: 1,
  }),
  topP: field(quantity(0.01, 1), {
    label: 'Top-p',
    help: 'Samples from the likeliest tokens that together have this probability. 1 is off; below 1 the training ratios are no longer exact.',
    group: 'Sampling',
    advanced: true,
    default: 1,
  }),
  topK: field(count(0, 1_000_000), {
    label: 'Top-k',
    help: 'Samples from this many likeliest tokens. 0 is off; above 0 the training ratios are no longer exact.',
    group: 'Sampling',
    advanced: true,
    default: 0,
  }),
  maxTokens: field(count(1, 4096), {
    label: 'Tokens per answer',
    help: 'Longest answer; longer ones are cut and scored as they are.',
    group: 'Sampling',
    advanced: false,
    default: 96,
  }),
  numGenerators: field(count(1, 64), {
    label: 'Generators',
    help: 'Web Workers that sample answers side by side. More use more memory; the samples stay the same.',
    group: 'Sampling',
    advanced: false,
    default: 2,
  }),
  generatorPrecision: field(choice(['f32', 'f16']), {
    label: 'Precision of generators',
    help: 'In which the weights travel to the generators. 16 bit halves the bytes, but samples then come from slightly rounded weights: the sampler-trainer KL is no longer zero.',
    group: 'Sampling',
    advanced: true,
    default: 'f32',
    choices: { f32: '32 bit', f16: '16 bit' },
  }),
  learningRate: field(quantity(0, 1), {
    label: 'Learning rate',
    help: 'Size of an update. Too large and the run collapses, too small and nothing happens.',
    group: 'Optimizer',
    advanced: false,
    default: 3e-4,
  }),
  lrSchedule: field(choice(['constant', 'linear']), {
    label: 'Learning-rate schedule',
    help: 'What happens to the learning rate after the warm-up.',
    group: 'Optimizer',
    advanced: true,
    default: 'linear',
    choices: { constant: 'Stays constant', linear: 'Falls linearly to zero' },
  }),
  warmupSteps: field(count(0, 10_000), {
    label: 'Warm-up steps',
    help: 'Steps over which the learning rate grows from zero.',
    group: 'Optimizer',
    advanced: true,
    default: 5,
  }),
  adamBeta1: field(quantity(0, 0.9999), {
    label: 'Adam β1',
    help: 'Decay of the running mean of gradients.',
    group: 'Optimizer',
    advanced: true,
    default: 0.9,
  }),
  adamBeta2: field(quantity(0, 0.99999), {
    label: 'Adam β2',
    help: 'Decay of the running mean of squared gradients.',
    group: 'Optimizer',
    advanced: true,
    default: 0.99,
  }),
  adamEps: field(quantity(1e-12, 1), {
    label: 'Adam ε',
    help: 'Added to the root of the squared-gradient mean, against division by zero.',
    group: 'Optimizer',
    advanced: true,
    default: 1e-8,
  }),
  weightDecay: field(quantity(0, 10), {
    label: 'Weight decay',
    help: 'Decoupled decay of AdamW, times the learning rate in each step.',
    group: 'Optimizer',
    advanced: true,
    default: 0,
  }),
  clipNorm: field(quantity(0.001, 1000), {
    label: 'Gradient clipping',
    help: 'Gradients whose global L2 norm is larger are scaled down to it.',
    group: 'Optimizer',
    advanced: true,
    default: 1,
  }),
  microBatchTokens: field(count(64, 1_048_576), {
    label: 'Tokens per micro-batch',
    help: 'Tokens that go through the model at once. Less needs less memory; results agree up to rounding.',
    group: 'Optimizer',
    advanced: true,
    default: 2048,
  }),
  evalSamples: field(count(1, 10_000), {
    label: 'Evaluation problems',
    help: 'Size of the fixed held-out set that is asked before and after training.',
    group: 'Evaluation',
    advanced: false,
    default: 200,
  }),
  evalEvery: field(count(0, 100_000), {
    label: 'Evaluate every',
    help: 'Also evaluate after this many steps. 0: only before and after.',
    group: 'Evaluation',
    advanced: true,
    default: 20,
  }),
  evalTemperature: field(quantity(0, 5), {
    label: 'Evaluation temperature',
    help: '1 samples as the model is; 0 always takes the likeliest token (greedy).',
    group: 'Evaluation',
    advanced: true,
    default: 1,
  }),
  seed: field(integer(0, 4_294_967_295), {
    label: 'Seed',
    help: 'Names the random numbers of the run: the same seed repeats it exactly on one backend.',
    group: 'Run',
    advanced: true,
    default: 0,
  }),
} as const;

export type FieldKey = keyof typeof RUN_FIELDS;
type Shape = { -readonly [Key in FieldKey]: (typeof RUN_FIELDS)[Key]['schema'] };

export const FIELD_KEYS = Object.keys(RUN_FIELDS) as readonly FieldKey[];

export const RUN_SHAPE = Object.fromEntries(FIELD_KEYS.map((key) => [key, RUN_FIELDS[key].schema])) as Shape;
/** Everything that defines a run, except the backend. */
export type RunConfig = { readonly [Key in FieldKey]: z.output<Shape[Key]> };

/** Problems asked in one step, whichever setting decides it. */
export function problemsInStep(config: RunConfig): number {
  return config.oneProblemPerGenerator ? config.numGenerators : config.problemsPerStep;
}
