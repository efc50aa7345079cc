/** A run's model in the files of another program. */
export { exportFiles } from './exportFiles.ts';
