/** Supervised updates before reinforcement. */
import { count, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf, line } from './fields.ts';

/** The value of `warmStartData` that stands for no file. */
export const DEMONSTRATIONS = 'demonstrations';

const field = fieldOf('Warm-up');

export const SFT_SETTINGS = {
  warmStartSteps: field(count(0, 100_000), {
    label: 'SFT updates',
    help: 'Updates of supervised fine-tuning on worked examples before reinforcement learning. 0 skips it.',
    default: 0,
  }),
  warmStartLearningRate: field(quantity(0, 1), {
    label: 'SFT learning rate',
    help: 'Largest learning rate during SFT. It rises over the first tenth of the updates and then falls to zero.',
    default: 1e-3,
  }),
  warmStartBatch: field(count(1, 4096), {
    label: 'SFT batch',
    help: 'Number of worked examples in each SFT update.',
    default: 64,
  }),
  warmStartData: field(line(200), {
    label: 'SFT answers from',
    help: '"demonstrations": worked answers that the tasks make, imperfect on purpose. Else the name of a JSONL file that was chosen on the page.',
    default: DEMONSTRATIONS,
  }),
} as const;
