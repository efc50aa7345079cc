/** Rows that are the same whatever trainer goes on: how this program computes, and what is over by then. */
import { here, idle, none, other, where, type Rows } from './fate.ts';

const SAMPLED_HERE = 'generators of this program; there an inference engine samples';
const FIXED_LEVEL =
  'the rows are of the levels where the run stands and do not rise or fall with success; hand over again for later ones';
const MADE = 'it was over before reinforcement began, and is in the weights';

const inData = { data: 'train and eval rows, reward.py' };

export const COMMON = {
  preset: () => here('it names where the settings began; they are all written out'),
  numGenerators: () => here(SAMPLED_HERE),
  generatorPrecision: () => here(SAMPLED_HERE),
  samplerNoise: ({ config }) =>
    where(config.samplerNoise > 0, none('noise on the logits that answers are drawn from is this program’s')),
  generatorAdapter: () => here(SAMPLED_HERE),
  cachePrecision: () => here(SAMPLED_HERE),
  generatorPlacement: () => here(SAMPLED_HERE),
  microBatchTokens: () => here('how much goes through the model at once; sums are the same up to rounding'),
  baseFormat: ({ config }) =>
    where(
      config.loraRank > 0 && ['16bit', 'q8', 'q4'].includes(config.baseFormat),
      none(
        'the base is handed over as its own files have it, not in the fewer bits that it was trained beside',
      ),
    ),
  warmStartSteps: ({ config }) => where(config.warmStartSteps > 0, here(MADE)),
  warmStartLearningRate: ({ config }) => where(config.warmStartSteps > 0, here(MADE)),
  warmStartBatch: ({ config }) => where(config.warmStartSteps > 0, here(MADE)),
  warmStartData: ({ config }) => where(config.warmStartSteps > 0, here(MADE)),
  curriculum: ({ config }) => where(config.curriculum !== 'off', none(FIXED_LEVEL)),
  curriculumStart: () => idle,
  curriculumRaise: ({ config }) => where(config.curriculum !== 'off', none(FIXED_LEVEL)),
  curriculumLower: ({ config }) => where(config.curriculum !== 'off', none(FIXED_LEVEL)),
  curriculumReview: ({ config }) =>
    where(
      config.curriculum !== 'off' && config.curriculumReview > 0,
      other({}, 'the rows have that share of easier ones, drawn when they were written'),
    ),
  curriculumWindow: ({ config }) => where(config.curriculum !== 'off', none(FIXED_LEVEL)),
  curriculumEvery: ({ config }) => where(config.curriculum !== 'off', none(FIXED_LEVEL)),
  task: () => other({}, `it is the ${inData.data}; problems do not go on for ever`),
  taskConfig: () => other({}, `they are in the ${inData.data}`),
  mixture: ({ config }) => where(config.mixture.length > 0, other({}, `it is in the ${inData.data}`)),
  scoring: ({ packages }) =>
    other(
      {},
      packages.length === 0
        ? 'it is in reward.py'
        : `it is in reward.py, which asks ${packages.join(' and ')}; what differs is said beside the settings`,
    ),
  klMeasuredShare: () => here('a figure of this program’s charts'),
  passAtK: ({ config }) => where(config.passAtK > 1, none('the evaluation there asks each problem once')),
  levelSamples: ({ config }) =>
    where(config.levelSamples > 0, none('the held-out rows are of the run’s own settings')),
  evalMixture: ({ config }) =>
    where(config.evalMixture.length > 0, none('the held-out rows are of the tasks that are trained on')),
  computePostKl: () => here('a figure of this program’s charts'),
  seed: () =>
    other(
      {},
      'problems are those that this seed would have asked next; what is drawn there is drawn otherwise',
    ),
} satisfies Partial<Rows>;
