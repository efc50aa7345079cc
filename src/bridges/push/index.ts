/** Files sent to a repository of the Hub. */
export { findRepository, type Pushed, type PushFile, pushFiles, type PushProgress } from './pushFiles.ts';
