import { useEffect, useState, type ReactNode } from 'react';
import { takeFiles } from './takeFiles.ts';
import classes from '../../run/transport/transport.module.css';
import type { ChosenFile } from '@rl-playground/run/session';

/** Must be called in the event itself, because the browser empties the transfer afterwards. */
function filesIn({ items, files }: DataTransfer): Promise<readonly ChosenFile[]> {
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

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** The overlay that tells what can be dropped, while a file is held over the page. */
export function DropOverlay(): ReactNode {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    type DragType = 'dragenter' | 'dragover' | 'dragleave' | 'drop';
    const on = (type: DragType, listener: (event: DragEvent) => void): void =>
      window.addEventListener(type, listener, { signal: listeners.signal });
    const accept = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // If the page moves under the pointer, a drop can hit an element that the file only entered.
    on('dragenter', accept);
    on('dragover', accept);
    on('dragleave', (event) => {
      // Moving between elements also fires this; only leaving the window has no related target.
      if (event.relatedTarget === null) setOver(false);
    });
    on('drop', (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const { dataTransfer, target } = event;
      if (dataTransfer) void filesIn(dataTransfer).then((chosen) => takeFiles(chosen, target));
    });
    return () => listeners.abort();
  }, []);
  if (!over) return null;
  return (
    <div className={classes.overlay}>
      <p>
        <span>Drop the checkpoint zip to load it</span>, a GGUF file, the folder of a model or a LoRA adapter,
        settings (YAML, JSON), the folder of a sweep, or rows (JSONL, CSV) for a task of your own or the
        warm-up
      </p>
    </div>
  );
}
