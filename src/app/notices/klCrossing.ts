/** When a run's sampler and trainer first drift apart beyond Tinker's line. */
import { klCause, type KlCause, type KlCauseSettings } from '../../rl/diagnosis/klCause.ts';
import type { StepMetrics } from '../../rl/metrics/index.ts';

/** Whether the later log is the earlier one with no or more steps at its end. */
export function goesOn(earlier: readonly StepMetrics[], later: readonly StepMetrics[]): boolean {
  return later.length >= earlier.length && earlier.every((step, index) => step === later[index]);
}

/** The cause at the first of the steps after `known` that is beyond the line; null where none is. */
export function firstCrossing(
  metrics: readonly StepMetrics[],
  known: number,
  settings: KlCauseSettings,
): KlCause | null {
  for (let steps = known + 1; steps <= metrics.length; steps++) {
    const cause = klCause(metrics.slice(0, steps), settings);
    if (cause !== null) return cause;
  }
  return null;
}
