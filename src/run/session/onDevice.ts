/** A run on a device, and how one begins from files. */
export { openedFiles, openedModel } from './opening.ts';
export { freshStart, Session } from './session.ts';
