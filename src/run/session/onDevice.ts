/** A run on a device, and the files that one begins from. */
export { openedFiles, openedModel } from './opening.ts';
export { freshStart, Session } from './session.ts';
