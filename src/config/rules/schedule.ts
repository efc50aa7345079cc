/** Rules on training while answers are still being sampled. */
import type { RunConfig } from '../runFields.ts';
import type { Rule } from './rule.ts';

const WHY = 'because the first update comes before the rest of the batch is sampled';

/** A setting that streaming needs at one value, with why. */
function underStream<Key extends keyof RunConfig>(
  field: Key,
  holds: (config: RunConfig) => boolean,
  rule: string,
): Rule {
  return {
    field,
    broken: (config) =>
      config.schedule === 'stream' && !holds(config)
        ? `${JSON.stringify(config[field])} does not go with schedule "stream": ${rule}, or set schedule to "sync".`
        : null,
  };
}

export const SCHEDULE_RULES: readonly Rule[] = [
  {
    field: 'oneProblemPerGenerator',
    broken: ({ oneProblemPerGenerator, schedule }) =>
      oneProblemPerGenerator && schedule !== 'sync'
        ? `true makes every generator wait for the others, which only schedule "sync" does, and it is "${schedule}"; choose false, or set schedule to "sync".`
        : null,
  },
  {
    field: 'problemsPerStep',
    broken: ({ schedule, problemsPerStep, numSubsteps, numMinibatches }) => {
      const parts = numSubsteps * numMinibatches;
      return schedule === 'stream' && problemsPerStep % parts !== 0
        ? `${problemsPerStep} cannot be cut into ${numSubsteps} × ${numMinibatches} = ${parts} equal parts of whole groups (numSubsteps × numMinibatches, under schedule "stream"); choose a multiple of ${parts}.`
        : null;
    },
  },
  {
    field: 'importanceCap',
    broken: ({ schedule, loss, oldLogprobs, importanceCap }) =>
      schedule === 'async' && loss !== 'reinforce' && oldLogprobs === 'trainer' && importanceCap === 0
        ? '0 leaves answers of older weights without a correction under schedule "async": with oldLogprobs "trainer" the ratio to the weights at hand is 1; choose more than 0 (2 is usual), or set oldLogprobs to "sampler".'
        : null,
  },
  underStream(
    'ppoEpochs',
    ({ ppoEpochs }) => ppoEpochs === 1,
    `each group is learned from once, ${WHY}; choose 1`,
  ),
  underStream(
    'miniBatchSize',
    ({ miniBatchSize }) => miniBatchSize === 0,
    `answers cannot be shuffled over the batch, ${WHY}; choose 0`,
  ),
  underStream(
    'gradientAccumulation',
    ({ gradientAccumulation }) => gradientAccumulation === 1,
    'numMinibatches says there how many parts add up to an update; choose 1',
  ),
  underStream(
    'advantageScale',
    ({ advantageScale }) => advantageScale !== 'batch',
    `the standard deviation of a whole batch is not known, ${WHY}; choose "none" or "group"`,
  ),
  underStream(
    'klPenaltyCoef',
    ({ klPenaltyCoef }) => klPenaltyCoef === 0,
    `its mean over the whole batch is not known, ${WHY}; choose 0`,
  ),
  underStream(
    'oldLogprobs',
    ({ oldLogprobs, numSubsteps }) => oldLogprobs === 'sampler' || numSubsteps === 1,
    `the trainer's probabilities before the first update are gone when later groups arrive, with more than one update per batch; choose "sampler", or numSubsteps 1`,
  ),
  underStream(
    'targetKl',
    ({ targetKl }) => targetKl === 0,
    'gradients of the next update are added up while answers still come in, so none is left out; choose 0',
  ),
  underStream(
    'computePostKl',
    ({ computePostKl }) => !computePostKl,
    `it needs the whole batch with the weights of before its first update, ${WHY}; choose false`,
  ),
];
