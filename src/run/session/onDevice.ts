/** A run on a device, and the files that one begins from. */
export { openedFiles, openedModel } from './opening.ts';
export { Session } from './session.ts';
export { freshStart } from './sessionStart.ts';
