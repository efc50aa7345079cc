/** The part of `parts.ts` that only Node has: files of this machine. */
export {
  filesAtPath,
  filesInFolder,
  fromCaller,
  isModelPath,
  nameOfPath,
  openOnDisk,
} from './hub/filesInNode.ts';
export { inside } from './hub/insideFolder.ts';
export { cacheFolder, fetchedToDisk, type FetchOptions } from './hub/remote/diskCache.ts';
