/** Zip files, for what loads their readers and writers only when it is asked for. */
export { filesChosen, filesInZip } from '../hub/zipFiles.ts';
export { zipPieces, zipSize } from '../hub/zipWriter.ts';
