/** Data that tasks are made of, from the Hub or from a person's files. */
export { badRowsText, joinGsm8kFiles, readGsm8kFile, type FileRows } from './gsm8kFile.ts';
export { keptGsm8k, loadGsm8k, type LoadOptions, type LoadProgress } from './gsm8kHub.ts';
export { DatasetError, type BadRow } from './rows.ts';
