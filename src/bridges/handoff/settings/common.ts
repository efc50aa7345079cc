/**
 * Rows that most trainers share: how this program computes, what is over by then, and what they all lack. A trainer's table replaces those
 * that it has otherwise.
 */
import {
  all,
  CRITIC,
  CURRICULUM,
  here,
  idle,
  MOVING,
  none,
  REWARD_MODEL,
  other,
  same,
  VESPO,
  WARM_START,
  where,
  type Table,
} from './fate.ts';

const SAMPLED_HERE = here('generators of this program; there an inference engine samples');
const FIGURE = here('a figure of this program’s charts');

const DATA = 'train and eval rows, reward.py';

/** The reasons that more than one trainer has for what it does otherwise. */
export const GROUP_MEAN = 'the mean of the group is subtracted there';
export const COSINE_ANEW =
  'it falls from its full value over the steps that are left, and here from where it is';
export const FROM_HANDOVER = 'counted from the hand-over on';
export const SEED =
  'problems are those that this seed would have asked next; what is drawn there is drawn otherwise';

export const COMMON = {
  preset: here('it names where the settings began; they are all written out'),
  numGenerators: SAMPLED_HERE,
  generatorPrecision: SAMPLED_HERE,
  samplerNoise: none('noise on the logits that answers are drawn from is this program’s'),
  generatorAdapter: SAMPLED_HERE,
  generatorProducts: SAMPLED_HERE,
  cachePrecision: SAMPLED_HERE,
  generatorPlacement: SAMPLED_HERE,
  microBatchTokens: here('how much goes through the model at once; sums are the same up to rounding'),
  baseFormat: ({ config }) =>
    where(
      config.loraRank > 0 && ['16bit', 'q8', 'q4'].includes(config.baseFormat),
      none(
        'the base is handed over as its own files have it, not in the fewer bits that it was trained beside',
      ),
    ),
  ...all(WARM_START, here('it was over before reinforcement began, and is in the weights')),
  curriculumStart: idle,
  ...all(
    CURRICULUM,
    none(
      'the rows are of the levels that the run has reached and do not rise or fall with success; hand over again for later ones',
    ),
  ),
  curriculumReview: other({}, 'the rows have that share of easier ones, drawn when they were written'),
  task: other({}, `it is the ${DATA}; problems do not go on for ever`),
  taskConfig: other({}, `they are in the ${DATA}`),
  mixture: other({}, `it is in the ${DATA}`),
  scoring: ({ packages }) =>
    other(
      {},
      packages.length === 0
        ? 'it is in reward.py'
        : `it is in reward.py, which asks ${packages.join(' and ')}; what differs is said beside the settings`,
    ),
  ...all(
    REWARD_MODEL,
    none('reward.py has the task’s grader alone; a ready model has to be added to it as a reward function'),
  ),
  klMeasuredShare: FIGURE,
  passAtK: none('the evaluation there asks each problem once'),
  levelSamples: none('the held-out rows are of the run’s own settings'),
  evalMixture: none('the held-out rows are of the tasks that are trained on'),
  computePostKl: FIGURE,
  seed: other({}, SEED),

  renderer: same({}),
  oneProblemPerGenerator: here('problems_per_step says how large the batch is'),
  gradientAccumulation: idle,
  clipMeaning: same({}),
  maskTruncated: none('cut answers are learned from there'),
  ...all(MOVING, none('there is no moving baseline there')),
  rewardAggregation: none('reward.py gives the sum of the parts'),
  targetKl: none('all updates of a batch are made there'),
  schedule: ({ config }) => where(config.schedule !== 'sync', none('sampling and training take turns there')),
  numMinibatches: none('nothing is streamed there'),
  maxStepsOffPolicy: none('answers are of the newest weights there'),
  offPolicyThreshold: none('there is no such mask there'),
  ...all(VESPO, none('there is no VESPO there')),
  ...all(CRITIC, none('there is no critic there')),
  removeConstantGroups: ({ config }) =>
    where(
      config.removeConstantGroups,
      none(
        'groups of equal rewards stay in the batch there, with advantages of 0: they count where the loss is averaged',
      ),
    ),
  evalSamples: ({ heldOut }) =>
    other({}, `the ${heldOut} held-out rows, of which the mean reward is measured`),
} satisfies Partial<Table>;
