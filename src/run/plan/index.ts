/** The memory and time of a run. */
export { durationText, secondsFromAnswers } from './estimate.ts';
export { parseLimits, UNKNOWN_LIMITS } from './limits.ts';
export { modelOfFiles } from './model.ts';
export { planOfModel } from './pagePlan.ts';
export { planRun } from './plan.ts';
export { keepBenchmarkRates, machineRatesSchema, ratesOf } from './rates.ts';
export type { MachineRates, MemoryLimits, Plan, PlannedBackend, PlannedModel } from './types.ts';
