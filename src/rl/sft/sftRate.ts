/** Learning rate of the supervised updates before reinforcement. */
import type { RunConfig } from '../../config/schema.ts';
import { learningRateAt } from '../update/learningRate.ts';

/** The learning rate rises over a tenth of the updates, at most this many. */
const LONGEST_RISE = 50;

/** What the schedule makes of the setting in update 1, 2, …: a short rise, then a linear fall to 0. */
export function sftRate(step: number, config: RunConfig): number {
  return learningRateAt(step, {
    peak: config.warmStartLearningRate,
    kind: 'linear',
    warmupSteps: Math.min(LONGEST_RISE, Math.ceil(config.warmStartSteps / 10)),
    totalSteps: config.warmStartSteps,
  });
}
