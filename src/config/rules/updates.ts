/** Rules on how the answers of a step are cut into updates. */
import type { RunConfig } from '../runFields.ts';
import { answersInStep, partsPerPass, problemsInStep } from '../stepSizes.ts';
import { counted, type Rule } from './rule.ts';

/** "64 answers (8 problems of 8)". */
function answersOf(config: RunConfig): string {
  const problems = counted(problemsInStep(config), 'problem');
  return `${counted(answersInStep(config), 'answer')} (${problems} of ${config.rolloutsPerProblem})`;
}

export const UPDATES_RULES: readonly Rule[] = [
  {
    field: 'numSubsteps',
    broken: ({ numSubsteps, miniBatchSize }) =>
      numSubsteps > 1 && miniBatchSize > 0
        ? `${numSubsteps} cuts the answers of a step in order, and miniBatchSize ${miniBatchSize} cuts them shuffled; choose 1, or set miniBatchSize to 0.`
        : null,
  },
  {
    field: 'numSubsteps',
    broken: (config) => {
      const { numSubsteps } = config;
      return answersInStep(config) % numSubsteps !== 0
        ? `${numSubsteps} does not divide the answers of a step, ${answersOf(config)}; choose a divisor, or other batch sizes.`
        : null;
    },
  },
  {
    field: 'miniBatchSize',
    broken: (config) => {
      const { miniBatchSize } = config;
      return miniBatchSize > 0 && answersInStep(config) % miniBatchSize !== 0
        ? `${miniBatchSize} does not divide the answers of a step, ${answersOf(config)}; choose a divisor, or 0 for one batch.`
        : null;
    },
  },
  {
    field: 'gradientAccumulation',
    broken: (config) => {
      const { gradientAccumulation, numSubsteps, miniBatchSize } = config;
      return gradientAccumulation > 1 && numSubsteps === 1 && miniBatchSize === 0
        ? `${gradientAccumulation} adds up mini-batches, but a step is one batch; choose 1, or cut the step by miniBatchSize or numSubsteps.`
        : null;
    },
  },
  {
    field: 'gradientAccumulation',
    broken: (config) => {
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
    },
  },
];
