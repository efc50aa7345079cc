/** The metrics of a step. */
export { MACHINE_KEYS, type MetricKey, METRICS, metricsOf, type StepMetrics } from './metrics.ts';
export { passCurve, type PassPoint } from './passAtK.ts';
export type { TaskShare } from './reward.ts';
export { timeless } from './timeless.ts';
