/** The length of a run, and its evaluation. */
import { count, quantity } from '@rl-playground/base/valueSchemas';
import { fieldOf } from './fields.ts';
import { mixtureSchema } from './task.ts';
import { ENGINE_DEFAULTS, ENGINE_SCHEMAS } from '@rl-playground/engine/parts';

/** The most draws for pass@k. */
export const MOST_DRAWS = 256;

const field = fieldOf('Run');
const evaluationField = fieldOf('Evaluation');

export const RUN_SETTINGS = {
  numSteps: field(count(1, 100_000), {
    label: 'Steps',
    help: 'How many batches of answers are sampled and learned from.',
    default: 150,
  }),
  seed: field(ENGINE_SCHEMAS.seed, {
    label: 'Seed',
    help: 'Decides the random numbers of the run: the same seed repeats it exactly on one backend.',
    default: ENGINE_DEFAULTS.seed,
  }),
  saveSteps: field(count(0, 100_000), {
    label: 'Save every',
    help: 'Keeps a checkpoint in the run directory after every so many steps. 0: only at the end.',
    default: 0,
  }),
  evalSamples: evaluationField(count(1, 10_000), {
    label: 'Evaluation problems',
    help: 'Number of held-out problems that are asked before and after training.',
    default: 200,
  }),
  evalMixture: evaluationField(mixtureSchema, {
    label: 'Evaluation tasks',
    help: 'Tasks for evaluation in place of those of training, each with its own weight and settings. None: held-out problems of the training tasks.',
    default: [],
  }),
  evalEvery: evaluationField(count(0, 100_000), {
    label: 'Evaluate every',
    help: 'Also evaluate after this many steps. 0: only before and after.',
    default: 20,
  }),
  passAtK: evaluationField(count(1, MOST_DRAWS), {
    label: 'Tries for pass@k',
    help: 'Answers to each evaluation problem at temperature 1, before and after training: pass@k is the chance that at least one of k answers is right. 1 saves time.',
    default: 8,
  }),
  levelSamples: evaluationField(count(0, 10_000), {
    label: 'Problems of each level',
    help: 'Also asks this many held-out problems of every difficulty level, with greedy decoding: it shows what the model can do beyond its training. 0 is off.',
    default: 0,
  }),
  evalTemperature: evaluationField(quantity(0, 5), {
    label: 'Evaluation temperature',
    help: 'Temperature for the sampled accuracy: 1 samples from the model unchanged; 0 always takes the most likely token (greedy), which is measured in any case.',
    default: 1,
  }),
} as const;
