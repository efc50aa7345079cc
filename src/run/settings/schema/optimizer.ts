/** AdamW and its learning rate. */
import { choice, count, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf } from './fields.ts';
import { ENGINE_DEFAULTS, ENGINE_SCHEMAS } from '@rl-playground/engine/parts';

const field = fieldOf('Optimizer');

export const OPTIMIZER_SETTINGS = {
  learningRate: field(quantity(0, 1), {
    label: 'Learning rate',
    help: 'Size of an update. If it is too large, the run collapses; if it is too small, nothing changes.',
    default: 3e-4,
  }),
  lrSchedule: field(choice(['constant', 'linear', 'cosine']), {
    label: 'Learning-rate schedule',
    help: 'What happens to the learning rate once it has reached its full value.',
    default: 'linear',
    choices: {
      constant: 'Stays constant',
      linear: 'Falls linearly to zero',
      cosine: 'Falls to zero along a cosine',
    },
  }),
  warmupSteps: field(count(0, 10_000), {
    label: 'Learning-rate warm-up steps',
    help: 'Steps over which the learning rate grows to its full value; the first has 1/(steps + 1) of it.',
    default: 5,
  }),
  adamBeta1: field(ENGINE_SCHEMAS.adamBeta1, {
    label: 'Adam β1',
    help: 'Decay of the running mean of gradients.',
    default: ENGINE_DEFAULTS.adamBeta1,
  }),
  adamBeta2: field(ENGINE_SCHEMAS.adamBeta2, {
    label: 'Adam β2',
    help: 'Decay of the running mean of squared gradients.',
    default: ENGINE_DEFAULTS.adamBeta2,
  }),
  adamEps: field(ENGINE_SCHEMAS.adamEps, {
    label: 'Adam ε',
    help: 'Added to the root of the squared-gradient mean, against division by zero.',
    default: ENGINE_DEFAULTS.adamEps,
  }),
  weightDecay: field(ENGINE_SCHEMAS.weightDecay, {
    label: 'Weight decay',
    help: 'Decoupled decay of AdamW, times the learning rate in each step.',
    default: ENGINE_DEFAULTS.weightDecay,
  }),
  clipNorm: field(ENGINE_SCHEMAS.clipNorm, {
    label: 'Gradient clipping',
    help: 'Gradients whose global L2 norm is larger are scaled down to it. 0 clips nothing.',
    default: ENGINE_DEFAULTS.clipNorm,
  }),
} as const;
