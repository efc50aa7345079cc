/** When a batch is trained on, and in how many updates. */
import { choice, count } from '@rl-playground/base/valueSchemas';
import { fieldOf } from './fields.ts';
import { ENGINE_DEFAULTS, ENGINE_SCHEMAS } from '@rl-playground/engine/parts';

const field = fieldOf('Updates');
const scheduleField = fieldOf('Schedule');

export const UPDATES_SETTINGS = {
  schedule: scheduleField(choice(['sync', 'stream', 'async']), {
    label: 'Schedule',
    help: 'Whether sampling and training take turns; whether training begins while the rest of the batch is still being sampled; or whether both run all the time, with answers that may be a few updates old.',
    default: 'sync',
    choices: {
      sync: 'Take turns',
      stream: 'Train on groups as they finish',
      async: 'Side by side (off-policy)',
    },
  }),
  numMinibatches: scheduleField(count(1, 1024), {
    label: 'Streaming: minibatches',
    help: 'Number of parts of each update: training on a part begins as soon as its groups of answers are finished.',
    default: 4,
  }),
  maxStepsOffPolicy: scheduleField(count(0, 100), {
    label: 'Side by side: most steps behind',
    help: 'Answers from weights more than this many updates old are thrown away, and their problems are asked again.',
    default: 3,
  }),
  numSubsteps: field(count(1, 1024), {
    label: 'Updates per batch',
    help: 'Cuts the answers of a step into this many parts, in order, with an update for each.',
    default: 1,
  }),
  ppoEpochs: field(count(1, 100), {
    label: 'Passes over a batch',
    help: 'How many times the answers of a step are learned from.',
    default: 1,
  }),
  miniBatchSize: field(count(0, 16_384), {
    label: 'Answers per mini-batch',
    help: 'Shuffles the answers of a step and cuts them into mini-batches of this size. 0: the whole batch, or its parts by the updates per batch.',
    default: 0,
  }),
  gradientAccumulation: field(count(1, 1024), {
    label: 'Mini-batches per update',
    help: 'Gradients of this many mini-batches are added up to one update.',
    default: 1,
  }),
  microBatchTokens: field(ENGINE_SCHEMAS.microBatchTokens, {
    label: 'Tokens per micro-batch',
    help: 'Tokens that go through the model at once. Less needs less memory; results agree up to rounding.',
    default: ENGINE_DEFAULTS.microBatchTokens,
  }),
} as const;
