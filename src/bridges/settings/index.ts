/** Settings files of this project and of other systems. */
export type { GroupFile, Override } from './hydra.ts';
export { applyOverrides, type Dialect, importForeign } from './import.ts';
export { dialectOfText, type ReadOptions, readSettings, rowsBeside, startOf } from './read.ts';
export { NOT_KNOWN } from './reader.ts';
export { tinkerReason } from './reasons.ts';
export { isRlvrKey } from './rlvr.ts';
