/** The metrics of a step. */
export { MACHINE_KEYS, type MetricKey, METRICS, metricsOf, type StepMetrics, timeless } from './metrics.ts';
export { passCurve, type PassPoint } from './passAtK.ts';
export type { TaskShare } from './reward.ts';
