/** Runs that the browser keeps. */
export { keptConfig, keptRecord, type KeptRecord } from './keptRecord.ts';
export { bestOf, type Commit, type ForkPoint } from './keptRun.ts';
export { newRunId, runBegan, runName } from './runName.ts';
export type { KeptRun } from './runStore.ts';
