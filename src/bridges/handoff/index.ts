/** Hands a run over to another trainer. */
export { handedSettings, handoffFiles } from './handoffFiles.ts';
export { graderOf, LIBRARIES, paysAlike } from './reward/graders.ts';
export { rewardFile } from './reward/rewardFile.ts';
export { problemJson, rowOf } from './rows.ts';
