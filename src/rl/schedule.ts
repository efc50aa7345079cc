/** Learning rate of a step. */
export interface LearningRateSchedule {
  readonly peak: number;
  readonly kind: 'constant' | 'linear';
  readonly warmupSteps: number;
  readonly totalSteps: number;
}

/**
 * Of step 1, 2, …: rises linearly to the peak over the warm-up, then stays (`constant`) or falls linearly so that it would
 * reach 0 one step after the last (`linear`).
 */
export function learningRateAt(
  step: number,
  { peak, kind, warmupSteps, totalSteps }: LearningRateSchedule,
): number {
  if (step <= warmupSteps) return (peak * step) / (warmupSteps + 1);
  if (kind === 'constant') return peak;
  const decaySteps = Math.max(1, totalSteps - warmupSteps);
  return peak * Math.max(0, 1 - (step - warmupSteps - 1) / decaySteps);
}
