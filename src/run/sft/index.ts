/** Rows of supervised fine-tuning. */
export { demonstrationSequence } from './demonstrations.ts';
export { type SftFiles, wantedFile } from './sftData.ts';
export { readSftRows, SFT_LIMITS, type SftFile, type SftRow, SftRowsError, writeSftRows } from './sftRows.ts';
