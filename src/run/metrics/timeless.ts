/** A step's metrics without what the clock and the machine say: the same in every repetition of a run. */
import { MACHINE_KEYS, type StepMetrics } from './metrics.ts';

const MACHINE: ReadonlySet<string> = new Set(MACHINE_KEYS);

export function timeless(metrics: readonly StepMetrics[]): Record<string, unknown>[] {
  return metrics.map((step) =>
    Object.fromEntries(Object.entries(step).filter(([name]) => !MACHINE.has(name))),
  );
}
