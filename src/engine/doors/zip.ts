/** Readers and writers of zip files. It is a module of its own so that they are loaded only when asked for. */
export { filesChosen, filesInZip } from '../hub/zipFiles.ts';
export { zipPieces, zipSize } from '../hub/zipWriter.ts';
