/** The number of problems, answers and updates in a step, whichever settings decide it. */
import type { RunConfig } from './schema.ts';

export function problemsInStep(config: RunConfig): number {
  return config.oneProblemPerGenerator ? config.numGenerators : config.problemsPerStep;
}

export function answersInStep(config: RunConfig): number {
  return problemsInStep(config) * config.rolloutsPerProblem;
}

/** Mini-batches that one pass over the answers of a step is cut into. */
export function partsPerPass(config: RunConfig): number {
  const { miniBatchSize, numSubsteps, gradientAccumulation } = config;
  return miniBatchSize === 0 ? numSubsteps * gradientAccumulation : answersInStep(config) / miniBatchSize;
}

/** Optimizer updates that a step's answers give, where the rules of `rules/updates.ts` hold. */
export function updatesPerBatch(config: RunConfig): number {
  return Math.max(1, Math.floor(partsPerPass(config) / config.gradientAccumulation)) * config.ppoEpochs;
}
