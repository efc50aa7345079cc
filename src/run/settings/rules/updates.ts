/** Rules on how the answers of a step are cut into updates, and on training while they are still being sampled. */
import { LOSSES, ownReduction } from '@rl-playground/engine/parts';
import { type RunConfig, answersInStep, partsPerPass, problemsInStep } from '../schema/schema.ts';
import { counted, rule, type Rule } from './rule.ts';

/** "64 answers (8 problems of 8)". */
function answersOf(config: RunConfig): string {
  const problems = counted(problemsInStep(config), 'problem');
  return `${counted(answersInStep(config), 'answer')} (${problems} of ${config.rolloutsPerProblem})`;
}

export const UPDATES_RULES: readonly Rule[] = [
  rule('numSubsteps', ({ numSubsteps, miniBatchSize }) =>
    numSubsteps > 1 && miniBatchSize > 0
      ? `${numSubsteps} cuts the answers of a step in order, and miniBatchSize ${miniBatchSize} cuts them shuffled; choose 1, or set miniBatchSize to 0.`
      : null,
  ),
  rule('numSubsteps', (config) => {
    const { numSubsteps } = config;
    return answersInStep(config) % numSubsteps !== 0
      ? `${numSubsteps} does not divide the answers of a step, ${answersOf(config)}; choose a divisor, or other batch sizes.`
      : null;
  }),
  rule('miniBatchSize', (config) => {
    const { miniBatchSize } = config;
    return miniBatchSize > 0 && answersInStep(config) % miniBatchSize !== 0
      ? `${miniBatchSize} does not divide the answers of a step, ${answersOf(config)}; choose a divisor, or 0 for one batch.`
      : null;
  }),
  rule('gradientAccumulation', (config) => {
    const { gradientAccumulation, numSubsteps, miniBatchSize } = config;
    return gradientAccumulation > 1 && numSubsteps === 1 && miniBatchSize === 0
      ? `${gradientAccumulation} adds up mini-batches, but a step is one batch; choose 1, or cut the step by miniBatchSize or numSubsteps.`
      : null;
  }),
  rule('gradientAccumulation', (config) => {
    const { gradientAccumulation, numSubsteps, miniBatchSize } = config;
    const parts = partsPerPass(config);
    if (miniBatchSize > 0)
      return Number.isInteger(parts) && parts % gradientAccumulation !== 0
        ? `${gradientAccumulation} does not divide the ${counted(parts, 'mini-batch')} of a step; choose a divisor of ${parts}.`
        : null;
    const ofUpdate = answersInStep(config) / numSubsteps;
    return numSubsteps > 1 && Number.isInteger(ofUpdate) && ofUpdate % gradientAccumulation !== 0
      ? `${gradientAccumulation} does not divide the ${counted(ofUpdate, 'answer')} of each of the ${numSubsteps} updates of a step; choose a divisor of ${ofUpdate}.`
      : null;
  }),
];

const WHY = 'because the first update comes before the rest of the batch is sampled';

/** A setting that streaming needs in some way, with why. */
function underStream<Key extends keyof RunConfig>(
  field: Key,
  holds: (config: RunConfig) => boolean,
  reason: string,
): Rule {
  return rule(field, (config) =>
    config.schedule === 'stream' && !holds(config)
      ? `${JSON.stringify(config[field])} does not go with schedule "stream": ${reason}, or set schedule to "sync".`
      : null,
  );
}

/** A setting that streaming needs at one value. */
const onlyUnderStream = <Key extends keyof RunConfig>(field: Key, value: RunConfig[Key], why: string): Rule =>
  underStream(field, (config) => config[field] === value, `${why}; choose ${JSON.stringify(value)}`);

export const SCHEDULE_RULES: readonly Rule[] = [
  rule('oneProblemPerGenerator', ({ oneProblemPerGenerator, schedule }) =>
    oneProblemPerGenerator && schedule !== 'sync'
      ? `true makes every generator wait for the others, which only schedule "sync" does, and it is "${schedule}"; choose false, or set schedule to "sync".`
      : null,
  ),
  rule('problemsPerStep', ({ schedule, problemsPerStep, numSubsteps, numMinibatches }) => {
    const parts = numSubsteps * numMinibatches;
    return schedule === 'stream' && problemsPerStep % parts !== 0
      ? `${problemsPerStep} cannot be cut into ${numSubsteps} × ${numMinibatches} = ${parts} equal parts of whole groups (numSubsteps × numMinibatches, under schedule "stream"); choose a multiple of ${parts}.`
      : null;
  }),
  rule('importanceCap', ({ schedule, loss, oldLogprobs, importanceCap, importanceFloor }) =>
    schedule === 'async' &&
    !LOSSES[loss].ignoresOld &&
    oldLogprobs === 'trainer' &&
    importanceCap === 0 &&
    importanceFloor === 0
      ? '0 leaves answers of older weights without a correction under schedule "async": with oldLogprobs "trainer" the ratio to the current weights is 1; choose more than 0 (2 is usual), or set oldLogprobs to "sampler".'
      : null,
  ),
  onlyUnderStream('ppoEpochs', 1, `each group is learned from once, ${WHY}`),
  onlyUnderStream('miniBatchSize', 0, `answers cannot be shuffled over the batch, ${WHY}`),
  onlyUnderStream('gradientAccumulation', 1, 'numMinibatches says there how many parts add up to an update'),
  underStream(
    'advantageScale',
    ({ advantageScale }) => advantageScale !== 'batch',
    `the standard deviation of a whole batch is not known, ${WHY}; choose "none" or "group"`,
  ),
  underStream(
    'rewardAggregation',
    ({ rewardAggregation }) => rewardAggregation === 'sum_then_normalize',
    `the mean over a whole batch is not known, ${WHY}; choose "sum_then_normalize"`,
  ),
  underStream(
    'entropyCoef',
    ({ entropyCoef }) => entropyCoef === 0,
    'the entropy is averaged over the tokens of an update, which are not all known; choose 0',
  ),
  underStream(
    'lossReduction',
    ({ loss, lossReduction, clipMeaning, numSubsteps }) =>
      numSubsteps === 1 ||
      (lossReduction === 'auto' ? ownReduction(loss, clipMeaning) : lossReduction) !== 'batch_token_mean',
    `the tokens of a whole batch are not counted, ${WHY}; choose "token_mean", or numSubsteps 1`,
  ),
  underStream(
    'baseline',
    ({ baseline }) => baseline !== 'value',
    `values are those of before the first update, and the value head's loss is a mean over all tokens of an update, ${WHY}; choose another baseline`,
  ),
  onlyUnderStream('klPenaltyCoef', 0, `its mean over the whole batch is not known, ${WHY}`),
  underStream(
    'oldLogprobs',
    ({ oldLogprobs, numSubsteps }) => oldLogprobs === 'sampler' || numSubsteps === 1,
    `the trainer's probabilities before the first update are gone when later groups arrive, with more than one update per batch; choose "sampler", or numSubsteps 1`,
  ),
  onlyUnderStream(
    'targetKl',
    0,
    'gradients of the next update are added up while answers still come in, so none is left out',
  ),
  onlyUnderStream(
    'computePostKl',
    false,
    `it needs the whole batch with the weights of before its first update, ${WHY}`,
  ),
];
