/** A run directory: everything of a run in one folder. It loads the engine's tensors. */
export { newestModelFolder, openedDirectory } from './openedDirectory.ts';
export {
  checkpointFolder,
  type FinishedRun,
  keepCheckpointWhenDue,
  RUN_DIRECTORY,
  runFiles,
  trainResults,
} from './runDirectory.ts';
