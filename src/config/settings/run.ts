/** How long a run is, and how it is looked at. */
import { count, field, integer, quantity } from '../fields.ts';
import { mixtureSchema } from './task.ts';

/** For pass@k. */
export const MOST_DRAWS = 256;

export const RUN_SETTINGS = {
  numSteps: field(count(1, 100_000), {
    label: 'Steps',
    help: 'How many batches of answers are sampled and learned from.',
    group: 'Run',
    default: 150,
  }),
  seed: field(integer(0, 4_294_967_295), {
    label: 'Seed',
    help: 'Names the random numbers of the run: the same seed repeats it exactly on one backend.',
    group: 'Run',
    default: 0,
  }),
  saveSteps: field(count(0, 100_000), {
    label: 'Save every',
    help: 'Keeps a checkpoint in the run directory after every so many steps. 0: only at the end.',
    group: 'Run',
    default: 0,
  }),
  evalSamples: field(count(1, 10_000), {
    label: 'Evaluation problems',
    help: 'Size of the fixed held-out set that is asked before and after training.',
    group: 'Evaluation',
    default: 200,
  }),
  evalMixture: field(mixtureSchema, {
    label: 'Evaluation tasks',
    help: 'The tasks that evaluations ask in place of those that are trained on, each with a weight and settings of its own. None: the same tasks, held-out problems of them.',
    group: 'Evaluation',
    default: [],
  }),
  evalEvery: field(count(0, 100_000), {
    label: 'Evaluate every',
    help: 'Also evaluate after this many steps. 0: only before and after.',
    group: 'Evaluation',
    default: 20,
  }),
  passAtK: field(count(1, MOST_DRAWS), {
    label: 'Draws for pass@k',
    help: 'Answers to each evaluation problem at temperature 1, before and after training: pass@k is the chance that one of k is right. 1 spares their time.',
    group: 'Evaluation',
    default: 8,
  }),
  levelSamples: field(count(0, 10_000), {
    label: 'Problems of each level',
    help: 'Also asks so many held-out problems of every level of difficulty that the task has, greedily: what the model can do beyond what it is trained on. 0 leaves them out.',
    group: 'Evaluation',
    default: 0,
  }),
  evalTemperature: field(quantity(0, 5), {
    label: 'Evaluation temperature',
    help: 'Of the sampled accuracy: 1 samples as the model is; 0 always takes the likeliest token (greedy), which is measured in any case.',
    group: 'Evaluation',
    default: 1,
  }),
} as const;
