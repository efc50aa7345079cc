/** The sampling of answers. */
import { count, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf, flag } from './fields.ts';
import { ENGINE_DEFAULTS, ENGINE_SCHEMAS } from '@rl-playground/engine/parts';

const field = fieldOf('Sampling');

export const SAMPLING_SETTINGS = {
  problemsPerStep: field(count(1, 1024), {
    label: 'Problems per step',
    help: 'Different problems asked in each step.',
    default: 16,
  }),
  rolloutsPerProblem: field(count(1, 256), {
    label: 'Answers per problem',
    help: 'Answers sampled for each problem; GRPO calls them a group.',
    default: 8,
  }),
  oneProblemPerGenerator: field(flag(), {
    label: 'One problem per generator',
    help: 'Each generator brings exactly one problem to a step, so the number of generators sets the batch.',
    default: false,
  }),
  temperature: field(quantity(0.05, 5), {
    label: 'Temperature',
    help: 'Divides the logits when answers are sampled for training: above 1 is more random, below 1 less.',
    default: 1,
  }),
  topP: field(quantity(0.01, 1), {
    label: 'Top-p',
    help: 'Samples from the most likely tokens that together have this probability. 1 is off; below 1 the training ratios are no longer exact.',
    default: 1,
  }),
  topK: field(count(0, 1_000_000), {
    label: 'Top-k',
    help: 'Samples from this many of the most likely tokens. 0 is off; above 0 the training ratios are no longer exact.',
    default: 0,
  }),
  minP: field(quantity(0, 1), {
    label: 'Min-p',
    help: 'Samples only from tokens that are at least this many times as probable as the most likely one. 0 is off; above 0 the training ratios are no longer exact.',
    default: 0,
  }),
  repetitionPenalty: field(quantity(0.1, 10), {
    label: 'Repetition penalty',
    help: 'Makes tokens that are already in the prompt or the answer less likely to be drawn again: their logits are divided by it, or multiplied where they are negative. 1 is off; with any other the training ratios are no longer exact.',
    default: 1,
  }),
  maxTokens: field(count(1, 4096), {
    label: 'Tokens per answer',
    help: 'Longest answer. Longer ones are cut here, and scored as they are.',
    default: 96,
  }),
  numGenerators: field(ENGINE_SCHEMAS.numGenerators, {
    label: 'Generators',
    help: 'Web Workers that sample answers side by side. More use more memory; the samples stay the same.',
    default: ENGINE_DEFAULTS.numGenerators,
  }),
  generatorPrecision: field(ENGINE_SCHEMAS.generatorPrecision, {
    label: 'Precision of generators',
    help: 'Number format in which the weights are sent to the generators. 16 bit halves the bytes, but answers are then sampled from slightly rounded weights: the sampler-trainer KL is no longer zero.',
    default: ENGINE_DEFAULTS.generatorPrecision,
    choices: { f32: '32 bit', f16: '16 bit' },
  }),
  samplerNoise: field(quantity(0, 10), {
    label: 'Noise in generators',
    help: 'Standard deviation of Gaussian noise on the logits that answers are drawn from, as if the generators were an inference engine that computes differently from the trainer. Evaluations have no noise. 0 is off; above 0 the sampler-trainer KL is no longer zero.',
    default: 0,
  }),
  generatorAdapter: field(ENGINE_SCHEMAS.generatorAdapter, {
    label: 'Adapter in generators',
    help: 'Whether generators compute with the adapter beside the frozen base, as the trainer does, or merge it into 16-bit copies of its matrices. Merging takes fewer operations per token, but rounding removes small updates (at a learning rate of 1e-4 about half of the weights do not change in the first one), the copies take 2 bytes per weight, and the sampler-trainer KL shows what was lost.',
    default: ENGINE_DEFAULTS.generatorAdapter,
    choices: { beside: 'Beside the base, exact', merged: 'Merged in 16 bit, fast' },
  }),
  generatorProducts: field(ENGINE_SCHEMAS.generatorProducts, {
    label: 'Products in generators',
    help: 'How generators on a GPU multiply. In half floats they round weights and activations to 16 bit and sum up in 32. In 8 bits they round activations, 32 at a time, and multiply whole numbers, as llama.cpp does, where a frozen base is in one of GGUF’s block formats and no adapter is merged into it. Answers are then sampled with slightly different probabilities than the trainer’s, which the sampler-trainer KL shows. On CPUs, and on GPUs without such products or that compute them wrongly, products are exact.',
    default: ENGINE_DEFAULTS.generatorProducts,
    choices: { exact: 'As the trainer, exact', f16: 'Half floats', int8: 'Whole numbers of 8 bits' },
  }),
  cachePrecision: field(ENGINE_SCHEMAS.cachePrecision, {
    label: 'Precision of keys and values',
    help: 'Number format of the generators’ key-value cache. 16 bit takes half the memory, so twice the tokens fit, but answers are then sampled with slightly different probabilities than the trainer’s: the sampler-trainer KL is no longer zero.',
    default: ENGINE_DEFAULTS.cachePrecision,
    choices: { f32: '32 bit', f16: '16 bit' },
  }),
  generatorPlacement: field(ENGINE_SCHEMAS.generatorPlacement, {
    label: 'Place of generators',
    help: 'Web Workers sample beside the page, each with a copy of the model. On the page, one generator shares the copy and the device of the trainer: for models that don’t fit twice.',
    default: ENGINE_DEFAULTS.generatorPlacement,
    choices: { worker: 'Web Workers', page: 'The page, with the trainer’s copy' },
  }),
} as const;
