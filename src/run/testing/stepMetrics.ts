/** Records of steps for tests that read a few of their metrics. */
import { METRICS, metricsOf, type StepMetrics } from '../metrics/metrics.ts';

/** Step 1 unless `changes` says otherwise; what it does not name is 0, or null where a metric may be. */
export function stepMetricsWith(changes: Partial<StepMetrics> = {}): StepMetrics {
  return { ...metricsOf(1, [], [], ({ optional }) => (optional ? null : 0)), ...changes };
}

/** A record in which every metric has a number of its own, told apart from those of another `seed`. */
export function distinctStepMetrics(step: number, seed = step): StepMetrics {
  const parts = [{ part: 'accuracy', mean: seed + 0.1, std: seed + 0.2 }];
  return metricsOf(step, [], parts, ({ key }) => seed + METRICS.findIndex((each) => each.key === key) / 7);
}
