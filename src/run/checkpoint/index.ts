/** A run's weights and state as files. */
export { holdsBase, namedBase } from './baseModel.ts';
export { checkpointFiles, trainedSpecs } from './checkpoint.ts';
export type { CheckpointParts } from './checkpointParts.ts';
export { mergedModel } from './adapterFiles.ts';
export { writeOptimizer } from './optimizerFile.ts';
export { readCheckpoint } from './readCheckpoint.ts';
export { type RunData, runDataFiles, runDataOf } from './runData.ts';
export { BASE_FILE, RunFiles } from './runFiles.ts';
export { runSettingsOf } from './runSettings.ts';
export { type TrainerState, trainerStateFromJson, trainerStateJson } from './trainerState.ts';
