/** A metric over the steps of runs that differ in their seed alone: the mean of the runs, and its interval. */
import { mean } from '@rl-playground/base/statistics';
import { seedInterval95, seedShares95 } from '../diagnosis/compareRuns.ts';
import type { StepMetrics } from '../metrics/metrics.ts';

export interface SeedPoint {
  readonly step: number;
  readonly value: number;
}

export interface SeedCurve {
  readonly centre: readonly SeedPoint[];
  /** The ends of the 95 % interval of the mean by Student's t; empty for fewer than three runs. */
  readonly low: readonly SeedPoint[];
  readonly high: readonly SeedPoint[];
}

/** The curve has the steps that every run has made and has a value of. `isShare`: the values are shares, whose interval stays between 0 and 1. */
export function seedCurve(
  runs: readonly { readonly metrics: readonly StepMetrics[] }[],
  value: (step: StepMetrics) => number | null,
  { isShare = false } = {},
): SeedCurve {
  const [first, ...others] = runs.map(
    ({ metrics }) => new Map(metrics.map((step) => [step.step, value(step)])),
  );
  const centre: SeedPoint[] = [];
  const low: SeedPoint[] = [];
  const high: SeedPoint[] = [];
  for (const [step, own] of first ?? []) {
    const values = [own, ...others.map((of) => of.get(step) ?? null)];
    const known = values.flatMap((each) => (each !== null && Number.isFinite(each) ? [each] : []));
    if (known.length < values.length) continue;
    centre.push({ step, value: mean(known) });
    const interval = isShare ? seedShares95(known) : seedInterval95(known);
    if (interval === null) continue;
    low.push({ step, value: interval.low });
    high.push({ step, value: interval.high });
  }
  return { centre, low, high };
}
