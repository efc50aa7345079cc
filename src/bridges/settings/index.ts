/** Settings from files and command lines, of this project and of other systems. */
export { assemble } from './assemble.ts';
export { withSpelledOptions } from './commandWords.ts';
export type { GroupFile } from './hydra.ts';
export { importForeign } from './import.ts';
export { type FileReader, type FileWords, namedFile } from './named.ts';
export { readSettings, rowsBeside } from './read.ts';
export { NOT_KNOWN } from './reader.ts';
