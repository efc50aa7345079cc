import { useEffect, useState, type ReactNode } from 'react';
import { findTask } from '../../tasks/index.ts';
import { loadCheckpoint } from '../actions.ts';
import { isDatasetFile, readFiles } from '../dataset/datasetStore.ts';
import { dropRows, isRowsFile } from '../custom/customPanel.ts';
import { isSettingsFile, loadSettings } from '../settingsFile/settingsFile.ts';
import { useApp } from '../store.ts';
import { isSftDrop, takeSftDrop } from '../sft/sftDrop.ts';
import classes from './transport.module.css';

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** Gives files dropped over `target` to the part of the page that can read them; anything unknown is taken for a checkpoint. */
async function take(files: readonly File[], target: EventTarget | null): Promise<void> {
  const [file] = files;
  if (file === undefined) return;
  const dataset = findTask(useApp.getState().form.task)?.dataset;
  if (await isSftDrop(file, target)) await takeSftDrop(file);
  else if (dataset !== undefined && isDatasetFile(file)) await readFiles(dataset, files);
  else if (await isSettingsFile(file)) await loadSettings(file);
  else if (isRowsFile(file)) dropRows(file);
  else loadCheckpoint(file);
}

/** The whole page takes a dropped checkpoint and says so while a file hovers over it. */
export function DropOverlay(): ReactNode {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    window.addEventListener(
      'dragover',
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      { signal },
    );
    window.addEventListener(
      'dragleave',
      (event) => {
        // Moving between elements also fires this; only leaving the window has no related target.
        if (event.relatedTarget === null) setOver(false);
      },
      { signal },
    );
    window.addEventListener(
      'drop',
      (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(false);
        void take([...(event.dataTransfer?.files ?? [])], event.target);
      },
      { signal },
    );
    return () => listeners.abort();
  }, []);
  if (!over) return null;
  return (
    <div className={classes.overlay}>
      <p>
        <span>Drop the checkpoint zip to load it</span>, settings (YAML, JSON), or rows (JSONL, CSV) for a
        task of your own or the warm-up
      </p>
    </div>
  );
}
