import type { ReactNode } from 'react';
import { downloadCheckpoint, loadCheckpoint } from '../actions.ts';
import { DownloadIcon, UploadIcon } from '../icons.tsx';
import { canStart } from '../transport/phases.ts';
import { useApp } from '../store.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { FileButton } from '../ui/FileButton.tsx';
import classes from './controls.module.css';

/** The run out of the page and into it again. */
export function CheckpointButtons(): ReactNode {
  const startable = useApp((state) => canStart(state.snapshot));
  return (
    <div className={classes.row} role="group" aria-label="Checkpoint">
      <span className={classes.label}>Checkpoint</span>
      <span className={classes.buttons}>
        <ActionButton
          variant="default"
          size="xs"
          leftSection={<DownloadIcon />}
          data-testid="download-button"
          aria-label="Download checkpoint"
          title="A zip in Hugging Face layout, with optimizer state, settings and metrics"
          usable={startable}
          onClick={downloadCheckpoint}
        >
          Download
        </ActionButton>
        <FileButton
          leftSection={<UploadIcon />}
          aria-label="Load checkpoint…"
          title="Choose a checkpoint zip, or drop one anywhere on the page"
          usable={startable}
          accept=".zip,application/zip"
          inputName="Checkpoint file"
          inputTestId="load-input"
          onFiles={([file]) => loadCheckpoint(file)}
        >
          Load…
        </FileButton>
      </span>
    </div>
  );
}
