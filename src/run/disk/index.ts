/** Files and locks of a run on this machine. Node alone has it. */
export {
  appendLines,
  codeOf,
  DRAFT,
  replaceFile,
  sync,
  WriteError,
  writeOpenFile,
  writing,
} from './durableFiles.ts';
export { linesOf, write } from './fileLines.ts';
export { processesBelow } from './processes.ts';
export { checkSize, MOST_LOG_BYTES, readText } from './readText.ts';
export { FolderTaken, isLocked, isRunning, lockFolder } from './runLock.ts';
