/** Supervised updates before reinforcement. */
import { count, field, line, quantity } from '../fields.ts';

export const WARM_START_SETTINGS = {
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
  warmStartData: field(line(200), {
    label: 'Warm start: answers from',
    help: '"demonstrations": worked answers that the tasks make. Else the name of a JSONL file that was dropped on the page.',
    group: 'Warm start',
    advanced: true,
    default: 'demonstrations',
  }),
} as const;
