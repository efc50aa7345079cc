/** A run's weights and state as files. */
export { BASE_FILE, holdsBase, namedBase } from './baseModel.ts';
export { checkpointFiles, trainedSpecs } from './checkpoint.ts';
export type { CheckpointParts } from './checkpointParts.ts';
export { mergedModel } from './mergedModel.ts';
export { readOptimizer, writeOptimizer } from './optimizerFile.ts';
export { readCheckpoint } from './readCheckpoint.ts';
export { readRunData, type RunData, runDataFiles } from './runData.ts';
export { runSettingsOf } from './runSettings.ts';
export { type TrainerState, trainerStateFromJson, trainerStateJson } from './trainerState.ts';
