/** Readers of single files that hold a folder, and writers of zips. It is a module of its own so that they are loaded only when asked for. */
export { filesChosen, filesInFile } from '../hub/singleFile.ts';
export { zipPieces, zipSize } from '../hub/zipWriter.ts';
