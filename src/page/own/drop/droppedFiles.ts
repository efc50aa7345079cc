/** What a drop holds: files, and those in folders, by their paths. */
import type { ChosenFile } from '../../../run/chosenFiles.ts';

/** Call in the event itself: afterwards the browser has emptied the transfer. */
export function filesIn({ items, files }: DataTransfer): Promise<readonly ChosenFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const loose = [...files].map((file) => ({ path: file.name, file }));
  if (!entries.some(({ isDirectory }) => isDirectory)) return Promise.resolve(loose);
  return Promise.all(entries.map(below)).then((found) => found.flat());
}

async function below(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: ChosenFile[] = [];
  // A reader hands out its entries in parts, an empty one last.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return found;
    found.push(...(await Promise.all(part.map(below))).flat());
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
