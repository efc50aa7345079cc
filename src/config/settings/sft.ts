/** Supervised updates before reinforcement. */
import { count, field, line, quantity } from '../fields.ts';

/** The value of `warmStartData` that stands for no file. */
export const DEMONSTRATIONS = 'demonstrations';

export const SFT_SETTINGS = {
  warmStartSteps: field(count(0, 100_000), {
    label: 'SFT updates',
    help: 'Updates of supervised fine-tuning before reinforcement, in which the model learns to write given answers. 0 begins with reinforcement at once.',
    group: 'Warm start',
    default: 0,
  }),
  warmStartLearningRate: field(quantity(0, 1), {
    label: 'SFT learning rate',
    help: 'Its largest value in the warm start: it rises over the first tenth of the updates and then falls to zero.',
    group: 'Warm start',
    default: 1e-3,
  }),
  warmStartBatch: field(count(1, 4096), {
    label: 'SFT batch',
    help: 'Given answers that the model learns from in each update of the warm start.',
    group: 'Warm start',
    default: 64,
  }),
  warmStartData: field(line(200), {
    label: 'SFT answers from',
    help: '"demonstrations": worked answers that the tasks make, imperfect on purpose. Else the name of a JSONL file that was chosen on the page.',
    group: 'Warm start',
    default: DEMONSTRATIONS,
  }),
} as const;
