/** Learning rates: of steps of reinforcement, and of supervised updates before them. */
import type { RunConfig } from '../settings/schema/schema.ts';

export interface LearningRateSettings {
  readonly peak: number;
  readonly kind: 'constant' | 'linear' | 'cosine';
  readonly warmupSteps: number;
  readonly totalSteps: number;
}

/**
 * The learning rate of step 1, 2, …: it rises linearly to the peak over the warm-up; then, with s of S decay steps done, it stays (`constant`), falls
 * as 1 − s / S (`linear`) or as ½ (1 + cos(π s / S)) (`cosine`), which would reach 0 one step after the last. After the warm-up these are Hugging
 * Face's schedulers; theirs warms up from 0, so that the first step changes nothing, ours from peak / (warm-up steps + 1).
 */
export function learningRateAt(
  step: number,
  { peak, kind, warmupSteps, totalSteps }: LearningRateSettings,
): number {
  if (step <= warmupSteps) return (peak * step) / (warmupSteps + 1);
  const decaySteps = Math.max(1, totalSteps - warmupSteps);
  const done = Math.min(1, (step - warmupSteps - 1) / decaySteps);
  switch (kind) {
    case 'constant':
      return peak;
    case 'linear':
      return peak * (1 - done);
    case 'cosine':
      return peak * 0.5 * (1 + Math.cos(Math.PI * done));
  }
}

/** The learning rate of supervised updates rises over a tenth of them, at most this many. */
const LONGEST_RISE = 50;

/** The learning rate of supervised update 1, 2, …: a short rise to the setting's, then a linear fall to 0. */
export function sftRate(
  step: number,
  config: Pick<RunConfig, 'warmStartLearningRate' | 'warmStartSteps'>,
): number {
  return learningRateAt(step, {
    peak: config.warmStartLearningRate,
    kind: 'linear',
    warmupSteps: Math.min(LONGEST_RISE, Math.ceil(config.warmStartSteps / 10)),
    totalSteps: config.warmStartSteps,
  });
}
